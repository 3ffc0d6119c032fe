import { limits, overLimit } from '../file-error.ts';
import type { OfficePackage } from '../office/package.ts';
import { encode, encodingOf, type PartEncoding, rejectOtherEncoding } from '../office/part-text.ts';
import type { PartContent } from '../office/rewrite-package.ts';
import {
  createPositionedXmlReader,
  escapeAttribute,
  type PositionedXmlEvents,
  type XmlStartTag,
} from '../office/xml-reader.ts';

/** Parses the XML of a part, and passes it to `events`. Only one piece of the part is in memory at a time. */
export async function readXmlPart(
  office: OfficePackage,
  path: string,
  events: PositionedXmlEvents,
): Promise<void> {
  const bound = new RunBound();
  const reader = createPositionedXmlReader(bound.watch(events));
  for await (const { text } of textPieces(office, path)) {
    reader.write(text);
    bound.check(text);
  }
  reader.close();
}

/** Changes a part while it is read. Positions are the positions in the reader's events. */
export class PartEditor {
  #buffer = '';
  /** The position in the part at which `#buffer` starts. */
  #start = 0;
  /** The position up to which the part has been copied to `#output`. */
  #copied = 0;
  #output = '';
  #held: number | undefined;

  /**
   * Keeps the source from this position on in memory, so that it can still be changed; undefined ends this. `boundRun`
   * limits the length of the kept source.
   */
  hold(position: number | undefined): void {
    this.#held = position;
  }

  /** Replaces the source between two positions. They must be after the positions of earlier calls. */
  replace(start: number, end: number, text: string): void {
    this.#output += this.source(this.#copied, start) + text;
    this.#copied = end;
  }

  /** Returns the source between two positions. This source must still be in memory (see `hold`). */
  source(start: number, end: number): string {
    return this.#buffer.slice(start - this.#start, end - this.#start);
  }

  feed(piece: string): void {
    this.#buffer += piece;
  }

  /**
   * Removes the finished source from memory and returns it with its changes. The returned source ends at `position`, or
   * at the held position if that is earlier.
   */
  take(position: number): string {
    const safe = Math.max(this.#copied, Math.min(position, this.#held ?? position));
    const output = this.#output + this.source(this.#copied, safe);
    this.#output = '';
    this.#buffer = this.#buffer.slice(safe - this.#start);
    this.#start = safe;
    this.#copied = safe;
    return output;
  }

  /** Returns the rest of the source with its changes. */
  rest(): string {
    return this.#output + this.#buffer.slice(this.#copied - this.#start);
  }
}

/**
 * Yields a part with the changes that the events make by means of the editor. Everything else, including the encoding,
 * stays unchanged.
 */
export async function* rewriteXmlPart(
  office: OfficePackage,
  path: string,
  createEvents: (editor: PartEditor) => PositionedXmlEvents,
): AsyncGenerator<Uint8Array> {
  const editor = new PartEditor();
  const bound = new RunBound();
  const reader = createPositionedXmlReader(bound.watch(createEvents(editor)));
  let partEncoding: PartEncoding = 'utf-8';
  for await (const { text, encoding } of textPieces(office, path)) {
    partEncoding = encoding;
    editor.feed(text);
    reader.write(text);
    bound.check(text);
    const output = editor.take(bound.lastTagEnd);
    if (output !== '') yield encode(output, partEncoding);
  }
  reader.close();
  yield encode(editor.rest(), partEncoding);
}

/** Limits the memory that the XML reader needs for a text or a comment without an end. */
class RunBound {
  lastTagEnd = 0;
  #read = 0;

  watch(events: PositionedXmlEvents): PositionedXmlEvents {
    return {
      openTag: (tag) => {
        this.lastTagEnd = tag.end;
        events.openTag(tag);
      },
      closeTag: (tag) => {
        this.lastTagEnd = tag.end;
        events.closeTag?.(tag);
      },
      text: (text) => events.text?.(text),
    };
  }

  check(piece: string): void {
    this.#read += piece.length;
    boundRun(this.lastTagEnd, this.#read);
  }
}

/**
 * Checks the length of a piece of XML that must be in memory as a whole.
 *
 * @throws {FileError} `too_large`
 */
export function boundRun(start: number, end: number): void {
  if (end - start > limits.officeXmlRun)
    throw overLimit('the length of a text in the XML of the file', limits.officeXmlRun);
}

/**
 * Yields the text of a part in pieces. The byte order mark is kept, because the copy of a part must also start with it.
 */
async function* textPieces(
  office: OfficePackage,
  path: string,
): AsyncGenerator<{ text: string; encoding: PartEncoding }> {
  let encoding: PartEncoding | undefined;
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const piece of office.pieces(path)) {
    const isFirst = encoding === undefined;
    encoding ??= encodingOf(piece);
    decoder ??= new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    const text = decoder.decode(piece, { stream: true });
    if (isFirst) rejectOtherEncoding(text);
    yield { text, encoding };
  }
  const text = decoder?.decode() ?? '';
  if (text !== '') yield { text, encoding: encoding! };
}

type CreateWriter = (editor: PartEditor) => PositionedXmlEvents;

/** Collects the changes of the parts of a workbook. Several writers may change different places of one part. */
export class PartChanges {
  readonly #office: OfficePackage;
  readonly #writers = new Map<string, CreateWriter[]>();
  readonly #contents = new Map<string, PartContent>();

  constructor(office: OfficePackage) {
    this.#office = office;
  }

  /** Adds a writer for a part. It makes its changes with the editor while it receives the events of the part. */
  add(path: string, create: CreateWriter): void {
    const known = this.#writers.get(path);
    if (known) known.push(create);
    else this.#writers.set(path, [create]);
  }

  /** Sets the whole content of a part. */
  set(path: string, content: PartContent): void {
    this.#contents.set(path, content);
  }

  /** Returns the new contents of the changed parts. */
  contents(): Map<string, PartContent> {
    const contents = new Map(this.#contents);
    for (const [path, writers] of this.#writers)
      contents.set(path, () =>
        rewriteXmlPart(this.#office, path, (editor) => together(writers.map((create) => create(editor)))),
      );
    return contents;
  }
}

function together(writers: readonly PositionedXmlEvents[]): PositionedXmlEvents {
  if (writers.length === 1) return writers[0]!;
  return {
    openTag: (tag) => {
      for (const writer of writers) writer.openTag(tag);
    },
    closeTag: (tag) => {
      for (const writer of writers) writer.closeTag?.(tag);
    },
    text: (text) => {
      for (const writer of writers) writer.text?.(text);
    },
  };
}

const attribute = /(\s([^\s=/>"']+)\s*=\s*)("[^"]*"|'[^']*')/g;

/**
 * Replaces the values of attributes of a tag. Attributes that the tag does not have are left out.
 *
 * @param values the new values by the names of the attributes, including prefixes
 */
export function replaceAttributes(
  editor: PartEditor,
  { start, end }: XmlStartTag,
  values: ReadonlyMap<string, string>,
): void {
  for (const { index, 0: found, 1: before = '', 2: name = '' } of editor
    .source(start, end)
    .matchAll(attribute)) {
    const value = values.get(name);
    if (value === undefined) continue;
    const at = start + index;
    editor.replace(at + before.length, at + found.length, `"${escapeAttribute(value)}"`);
  }
}

export function setAttribute(editor: PartEditor, tag: XmlStartTag, name: string, value: string): void {
  const nameEnd = tag.start + 1 + tag.name.length;
  if (tag.attributes[name] === undefined) editor.replace(nameEnd, nameEnd, ` ${name}="${value}"`);
  else replaceAttributes(editor, tag, new Map([[name, value]]));
}

/** Whether the value of an attribute is true. */
export function isOn(value: string | undefined): boolean {
  return /^(?:1|true)$/.test(value ?? '');
}

/** Returns the prefix of an element's name with its colon; '' if missing. */
export function prefixOf({ name, local }: { name: string; local: string }): string {
  return name.slice(0, name.length - local.length);
}
