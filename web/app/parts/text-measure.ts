import { weighCharacters } from '#server/billing/metering/weight.ts';
import { deployment } from '../deployment.ts';

/** The length of a text as it is limited and metered: in Unicode code points. */
export function lengthOf(text: string): number {
  let length = text.length;
  // The second half of a surrogate pair does not count; iterating over the text would create a string for each character.
  for (let i = 1; i < text.length; i += 1)
    if (isLow(text.charCodeAt(i)) && isHigh(text.charCodeAt(i - 1))) length -= 1;
  return length;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** The weighted characters that a text of this length uses from the allowance. */
export function weightOf(length: number, source: string, target: string): number {
  return weighCharacters(length, source, target, deployment.denseScriptWeight);
}
