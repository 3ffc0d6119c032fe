import { parse, Scalar } from 'yaml';

/**
 * Writes a string in the style of a scalar, or in double quotes if it cannot be written in this style.
 *
 * @param written the scalar as it is in the file; empty for a new one
 */
export function scalarText({ type }: Scalar, text: string, written: string): string {
  if (unprintable.test(text)) return quoted(text) + finalLineEnd(type, written);
  const isBlock = type === Scalar.BLOCK_LITERAL || type === Scalar.BLOCK_FOLDED;
  if (isBlock && written !== '') {
    const block = blockText(written, text, type === Scalar.BLOCK_FOLDED);
    if (readsAs(`k: ${block}`, text)) return block;
    return quoted(text) + finalLineEnd(type, written);
  }
  if (type === Scalar.PLAIN && isPlain(text)) return text;
  const single = `'${text.replaceAll("'", "''")}'`;
  if (type === Scalar.QUOTE_SINGLE && !text.includes('\n') && readsAs(`k: ${single}`, text)) return single;
  return quoted(text);
}

/** Returns the line end that a block scalar includes. */
function finalLineEnd(type: Scalar['type'], written: string): string {
  const isBlock = type === Scalar.BLOCK_LITERAL || type === Scalar.BLOCK_FOLDED;
  return (isBlock && /\r?\n$/.exec(written)?.[0]) || '';
}

/** Characters that only an escape can contain, and those that YAML 1.1 reads as line ends. */
const unprintable =
  /[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;

const escapes: Readonly<Record<string, string>> = { '\u0085': '\\N', '\u2028': '\\L', '\u2029': '\\P' };

/** Writes a string in double quotes. JSON has no escapes for these characters. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    new RegExp(unprintable, 'gu'),
    (character) => escapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Whether a text without quotes is read as the same string, in a block as well as in brackets. PyYAML rejects `=`. */
function isPlain(text: string): boolean {
  return !text.includes('\n') && text !== '=' && readsAs(`k: ${text}`, text) && readsAs(`[${text}]`, text);
}

/** Whether YAML 1.2 and YAML 1.1, which Ruby and PyYAML read, both read a text. In 1.1, `No` and `2024-05-01` have other types. */
function readsAs(yaml: string, text: string): boolean {
  return (['1.2', '1.1'] as const).every((version) => {
    try {
      const value: unknown = parse(yaml, { logLevel: 'error', version });
      return (Array.isArray(value) && value.length === 1 ? value[0] : (value as { k: unknown }).k) === text;
    } catch {
      return false;
    }
  });
}

/** Writes a block scalar with the header and the indentation of another one. */
function blockText(written: string, text: string, isFolded: boolean): string {
  const [header] = /^[^\n]*\n/.exec(written) ?? [`${written.trimEnd()}\n`];
  const lines = written.slice(header.length).split('\n');
  const indent =
    lines.map((line) => /^ *(?=\S)/.exec(line)?.[0]).find((space) => space !== undefined) ?? '  ';
  const lineEnd = header.endsWith('\r\n') ? '\r\n' : '\n';
  const parts = text.replace(/\n+$/, '').split('\n');
  const end = /-/.test(header) ? lineEnd : /\n*$/.exec(text)![0].replaceAll('\n', lineEnd) || lineEnd;
  const joined = parts
    .map((part) => (part === '' ? '' : indent + part))
    .join(isFolded ? lineEnd + lineEnd : lineEnd);
  // At the end of a file, a block may have no line end.
  return header + joined + (/[\r\n]$/.test(written) ? end : '');
}
