/**
 * Languages so close that a text, or a sentence, can be right in both. The codes are ISO 639-1, some of languages that
 * are not supported but that an identification may answer.
 */
const confusable: readonly (readonly string[])[] = [
  ['da', 'nb'],
  ['ms', 'id', 'tl'],
  ['hi', 'mr', 'ne'],
  ['cs', 'sk'],
  ['es', 'ca'],
  ['fr', 'ca'],
  ['it', 'ca'],
  ['ru', 'bg'],
];

/** Pairs that often write a short sentence in the same way, beside the confusable ones. */
const related: readonly (readonly string[])[] = [
  ['es', 'pt'],
  ['es', 'it'],
  ['it', 'pt'],
  ['da', 'nb', 'sv'],
  ['ru', 'uk'],
  ['ar', 'fa', 'ur'],
];

/** `pt` of `pt-BR`: what the written standards of one language share. */
export function primaryLanguage(code: string): string {
  return code.split('-', 1)[0]!;
}

/** How alike two languages are to read. */
export function kinship(a: string, b: string): 'same' | 'confusable' | 'related' | 'apart' {
  const [one, other] = [primaryLanguage(a), primaryLanguage(b)];
  const share = (groups: readonly (readonly string[])[]): boolean =>
    groups.some((group) => group.includes(one) && group.includes(other));
  if (one === other) return 'same';
  if (share(confusable)) return 'confusable';
  return share(related) ? 'related' : 'apart';
}
