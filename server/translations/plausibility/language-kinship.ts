/** Languages so close that a sentence can be correct in both. ISO 639-1 codes, including unsupported languages that the identification returns. */
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

/** Languages that often write a short sentence alike, in addition to the confusable ones. */
const related: readonly (readonly string[])[] = [
  ['es', 'pt'],
  ['es', 'it'],
  ['it', 'pt'],
  ['da', 'nb', 'sv'],
  ['ru', 'uk'],
  ['ar', 'fa', 'ur'],
];

/** The primary subtag: `pt` of `pt-BR`. */
export function primaryLanguage(code: string): string {
  return code.split('-', 1)[0]!;
}

/** How similar two written languages are. */
export function kinship(a: string, b: string): 'same' | 'confusable' | 'related' | 'apart' {
  const [one, other] = [primaryLanguage(a), primaryLanguage(b)];
  const share = (groups: readonly (readonly string[])[]): boolean =>
    groups.some((group) => group.includes(one) && group.includes(other));
  if (one === other) return 'same';
  if (share(confusable)) return 'confusable';
  return share(related) ? 'related' : 'apart';
}
