import { FileError } from '../file-error.ts';

/*
 * A parser for gettext PO files that returns the position of everything that may change. Libraries for PO return no
 * positions, so they would write the whole file again.
 */

/** A range of the file, in UTF-16 units. */
interface PoRange {
  start: number;
  end: number;
}

/** The value of a keyword: its strings, joined and unescaped. */
interface PoString extends PoRange {
  text: string;
  line: number;
}

export interface PoEntry extends PoRange {
  line: number;
  context: PoString | null;
  id: PoString;
  plural: PoString | null;
  /** The translations, by the index of the plural form; one without plural forms. */
  translations: PoString[];
  /** The comments that a developer (`#.`) or a translator (`# `) wrote. */
  comments: string[];
  /** The flags of the entry, such as `fuzzy` and `c-format`, and the line that has them. */
  flags: readonly string[];
  flagLine: PoRange | null;
  /** The lines with the previous source (`#|`). */
  previous: PoRange[];
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
};

/**
 * Parses a file. Obsolete entries (`#~`) are not returned.
 *
 * @throws {FileError} `unreadable`, with the number of the line
 */
export function parsePo(text: string): PoEntry[] {
  const entries: PoEntry[] = [];
  let draft = newDraft(0, 1);
  let open: PoString | null = null;
  const finish = (): void => {
    if (draft.id) entries.push(entryOf(draft, draft.id));
    open = null;
  };
  let line = 0;
  for (const { 0: raw, index: start } of text.matchAll(/[^\r\n]+(?:\r\n|\r|\n|$)|(?:\r\n|\r|\n)/g)) {
    line += 1;
    const content = raw.trim();
    const end = start + raw.length;
    if (content === '') continue;
    if (content.startsWith('#')) {
      // A comment after the strings of an entry belongs to the next one.
      if (draft.translations.length > 0) {
        finish();
        draft = newDraft(start, line);
      }
      open = null;
      readComment(draft, content, { start, end });
      continue;
    }
    const found = /^(?:(msgctxt|msgid_plural|msgid|msgstr(?:\[(\d{1,2})\])?)\s*)?("(?:[^"\\]|\\.)*")$/.exec(
      content,
    );
    if (!found) throw problem(line, 'a keyword such as msgid, with a string in double quotes, is expected');
    const [, keyword, index, written] = found;
    const at = start + raw.indexOf(written!);
    const value = { text: unquote(written!, line), start: at, end: at + written!.length, line };
    if (keyword === undefined) {
      if (!open) throw problem(line, 'a string has no keyword before it');
      open.text += value.text;
      open.end = value.end;
    } else {
      if ((keyword === 'msgid' || keyword === 'msgctxt') && draft.translations.length > 0) {
        finish();
        draft = newDraft(start, line);
      }
      addValue(draft, keyword, index, value);
      open = value;
    }
    draft.end = end;
  }
  finish();
  return entries;
}

type Draft = Omit<PoEntry, 'id'> & { id: PoString | null };

function newDraft(start: number, line: number): Draft {
  return {
    start,
    end: start,
    line,
    context: null,
    id: null,
    plural: null,
    translations: [],
    comments: [],
    flags: [],
    flagLine: null,
    previous: [],
  };
}

function readComment(draft: Draft, content: string, range: PoRange): void {
  if (content.startsWith('#,')) {
    draft.flags = content
      .slice(2)
      .split(',')
      .map((flag) => flag.trim());
    draft.flagLine = range;
  } else if (content.startsWith('#|')) draft.previous.push(range);
  else if (content.startsWith('#.') || /^#(?:\s|$)/.test(content)) {
    const comment = content.replace(/^#\.?\s*/, '');
    if (comment !== '') draft.comments.push(comment);
  }
}

function addValue(draft: Draft, keyword: string, index: string | undefined, value: PoString): void {
  const { line } = value;
  if (keyword === 'msgctxt') draft.context = value;
  else if (keyword === 'msgid') {
    if (draft.id) throw problem(line, 'the entry before has no msgstr');
    draft.id = value;
    draft.line = line;
  } else if (!draft.id) throw problem(line, `${keyword} has no msgid before it`);
  else if (keyword === 'msgid_plural') draft.plural = value;
  else {
    if (Number(index ?? 0) !== draft.translations.length)
      throw problem(line, `msgstr[${draft.translations.length}] is expected`);
    draft.translations.push(value);
  }
}

function entryOf(draft: Draft, id: PoString): PoEntry {
  if (draft.translations.length === 0) throw problem(id.line, 'the entry has no msgstr');
  return { ...draft, id };
}

/** @throws {FileError} `not_text` with the line */
function unquote(written: string, line: number): string {
  return written
    .slice(1, -1)
    .replaceAll(
      /((?:\\(?:x[0-9a-f]{1,2}|[0-7]{1,3}))+)|\\(.)/gi,
      (_, bytes: string | undefined, character) =>
        bytes === undefined ? (escapes[character] ?? character) : decodeBytes(bytes, line),
    );
}

/** Decodes escaped bytes, which are in the encoding of the file. */
function decodeBytes(written: string, line: number): string {
  const bytes = [...written.matchAll(/\\(?:x([0-9a-f]{1,2})|([0-7]{1,3}))/gi)].map(([, hex, octal]) =>
    hex ? Number.parseInt(hex, 16) : Number.parseInt(octal!, 8),
  );
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch (error) {
    throw new FileError('not_text', `line ${line}: the escaped bytes ${written} are not UTF-8`, {
      cause: error,
    });
  }
}

const escaped: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(escapes).map(([letter, character]) => [character, `\\${letter}`]),
  ['"', '\\"'],
  ['\\', '\\\\'],
]);

/** Writes a text as strings of a PO file: each line of the text is a string. */
export function quotePo(text: string, lineEnd: string): string {
  const quote = (part: string) =>
    `"${part.replaceAll(/[\p{Cc}"\\]/gu, (character) => escaped[character] ?? character)}"`;
  const lines = text.split(/(?<=\n)/);
  return lines.length < 2 ? quote(text) : ['""', ...lines.map(quote)].join(lineEnd);
}

function problem(line: number, message: string): FileError {
  return new FileError('unreadable', `the file is not a valid PO file: line ${line}: ${message}`);
}
