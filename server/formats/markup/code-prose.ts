import { isCodeValue } from './visible-names.ts';

/** Returns what readers can see of code: strings and texts of elements that consist of words. They stay. */
export function proseOfCode(code: string, hasLabels = false): string[] {
  const found: string[] = [];
  const pattern = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\[\s\S])*)`|>([^<>{}]+)</g;
  for (const [, double, single, template, inner] of code.matchAll(pattern)) {
    const text = double ?? single ?? template ?? inner!;
    if (isProse(text) || (inner && /\p{L}/u.test(inner)) || (hasLabels && /\p{L}/u.test(text)))
      found.push(text);
  }
  return found;
}

/** Whether a string consists of words. */
export const isProse = (text: string): boolean =>
  /\p{L}{2}\S*\s+\S*\p{L}{2}/u.test(text) && !isCodeValue(text);
