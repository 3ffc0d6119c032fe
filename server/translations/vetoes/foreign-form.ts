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

/** Of elements that text is marked up with, or that act; `<name>` may stand for a word. */
const anyTag =
  /<\/?(?:a|b|i|p|u|br|em|div|img|svg|pre|code|font|form|html|body|link|meta|span|style|input|script|iframe|object|strong|button)(?:\s[^<>]{0,300})?\/?>/i;
const knownTag = /<[a-z!?/]/i;

/** A translation that begins as data, markup or code, or has markup in it, of a source that does not: a model's own words, or its verdict. */
export function foreignFormIssue({ source, target }: TextPair): QualityIssue | undefined {
  const tag = target.match(anyTag)?.[0];
  if (tag !== undefined && !knownTag.test(source))
    return critical('accuracy', 'The translation has markup, and the source has none.', tag);
  const form = forms.find(({ begins, knownBy = begins }) => begins.test(target) && !knownBy.test(source));
  return form && critical('accuracy', `The translation is ${form.name}, and the source is not.`, target);
}
