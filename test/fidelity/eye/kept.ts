import type { Token } from './tokens.ts';

const address =
  /@|:\/\/|^www\.|^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|gov|edu|int|io|eu|uk|de|fr|html?|pdf)\b/i;
/** A path, a name of code, or letters with digits. */
const identifier = /[\p{L}\p{N}][_\\]|[/\\].*[/\\]|\p{L}\d|\d\p{L}|::|\(\)|[{}<>=]|\p{Ll}\p{Lu}|#\w/u;
const monospaced =
  /mono|courier|consol|cousine|typewriter|cmtt|lettergothic|ocr|\btt\b|menlo|source ?code|inconsolata/i;
const symbols = /symbol|dingbat|wingding|cmmi|cmsy|cmex|msam|msbm|math|barcode|code128|3of9|icon|awesome/i;

const operators = /^(?:sin|cos|tan|log|ln|lim|max|min|mod|exp|det|arg|gcd)$/;

/** Text of a source that may stay as it is: addresses, identifiers, code, symbols, single letters, operators. */
export function mayStay({ key, word }: Token): boolean {
  const font = word.font?.name ?? '';
  return (
    [...key].length === 1 ||
    operators.test(key) ||
    address.test(word.text) ||
    identifier.test(word.text) ||
    monospaced.test(font) ||
    symbols.test(font)
  );
}
