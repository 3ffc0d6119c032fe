/** Decimal numbers as text, so that none loses digits: `1234.5`, without leading or trailing zeros. */
export function canonical(whole: string, fraction = ''): string {
  const left = whole.replace(/^0+(?=\d)/, '') || '0';
  const right = fraction.replace(/0+$/, '');
  return right === '' ? left : `${left}.${right}`;
}

/** `decimal` times ten to the power of `exponent`. */
export function shifted(decimal: string, exponent: number): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  const padded = fraction.padEnd(exponent, '0');
  return canonical(whole + padded.slice(0, exponent), padded.slice(exponent));
}

const isGrouped = (groups: readonly string[]): boolean =>
  groups[0]!.length <= 3 && groups.slice(1).every(({ length }) => length === 3);

/** 1,23,456 as India groups it. */
const isIndian = (groups: readonly string[]): boolean =>
  groups.length > 2 &&
  groups[0]!.length <= 2 &&
  groups.at(-1)!.length === 3 &&
  groups.slice(1, -1).every(({ length }) => length === 2);

/**
 * What digits with separators may mean: `1,234` is 1234 in English and 1.234 in German. Empty for what is no single
 * number, such as `1.2.3` or `31.12.2024`.
 * @param written ASCII digits divided by single separators
 */
export function readings(written: string): string[] {
  if (/^\d+$/.test(written)) return [canonical(written)];
  const groups = written.split(/\D/);
  const separators = written.replace(/\d/g, '');
  const found: string[] = [];
  const same = new Set(separators).size === 1;
  if (same && (isGrouped(groups) || isIndian(groups))) found.push(canonical(groups.join('')));
  // Spanish writes 4'5 as well; an apostrophe before three digits groups them.
  if (groups.length === 2 && (/[.,]/.test(separators) || (separators === "'" && groups[1]!.length !== 3))) {
    found.push(canonical(groups[0]!, groups[1]!));
  }
  const thousands = groups.slice(0, -1);
  const last = separators.at(-1)!;
  if (
    groups.length > 2 &&
    /[.,]/.test(last) &&
    new Set(separators.slice(0, -1)).size === 1 &&
    separators[0] !== last &&
    (isGrouped(thousands) || isIndian(thousands))
  ) {
    found.push(canonical(thousands.join(''), groups.at(-1)!));
  }
  return found;
}
