import type { QualityIssue } from '#server/engines/engine.ts';
import { critical, type TextPair } from './text-pair.ts';

/** How an answer begins that is a program's rather than a writer's: data, a page, a fenced block. */
const forms: { name: string; begins: RegExp; knownBy?: RegExp }[] = [
  { name: 'JSON', begins: /^\s{0,99}(?:\{\s{0,99}"|\[\s{0,99}["{[\]])/ },
  {
    name: 'HTML',
    begins: /^\s{0,99}<(?:!doctype|!--|\?xml|[a-z][\w-]{0,30}(?:\s[^<>]{0,300})?\/?>)/i,
    // Another order of words may put a tag of the source first.
    knownBy: /<[a-z!?]/i,
  },
  { name: 'a block of code', begins: /^\s{0,99}(?:```|~~~)/ },
];

/** A translation that begins as data, markup or code, of a source that does not: a model's own words, or its verdict. */
export function foreignFormIssue({ source, target }: TextPair): QualityIssue | undefined {
  const form = forms.find(({ begins, knownBy = begins }) => begins.test(target) && !knownBy.test(source));
  return form && critical('accuracy', `The translation is ${form.name}, and the source is not.`, target);
}
