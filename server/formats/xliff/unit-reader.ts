import { XmlFileError } from '../xml/xml-parser.ts';
import {
  type XliffCode,
  type XliffContent,
  type XliffState,
  xliffAuthority,
  xliffStates,
} from './content.ts';

/** A unit as it came back. */
export interface ReadUnit {
  /** Empty if it has none. */
  id: string;
  /** Of its `<unit>`, from 1. */
  line: number;
  /** The version of the translation that the file was made from; null if a tool has dropped it. */
  version: string | null;
  /** The least finished of its segments'. */
  state: XliffState;
  source: XliffContent;
  /** Null if a segment has no translation. */
  target: XliffContent | null;
}

/** A code before what it stands for is known. */
type Referring = Omit<XliffCode, 'data'> & { ref: string | undefined };
type RawContent = (string | Referring)[];

/** A segment, or an ignorable text between two. */
interface Part {
  isSegment: boolean;
  state: XliffState;
  source: RawContent;
  target: RawContent | null;
  /** The place of its target among the unit's, from 1; its own if none is given. */
  order: number;
}

interface OpenUnit {
  id: string;
  line: number;
  version: string | null;
  data: Map<string, string>;
  parts: Part[];
}

/**
 * Reads the units of a file from the parser's events. Tools may cut a unit into several segments: their texts are joined again.
 * @param onUnit called with each unit at its end, and the number of its segments and texts between them
 */
export function createUnitReader(onUnit: (unit: ReadUnit, parts: number) => void) {
  let unit: OpenUnit | undefined;
  let part: Part | undefined;
  /** The text that is being read, if one is. */
  let content: RawContent | undefined;
  /** The characters of what is being read outside of texts: a version, or what codes stand for. */
  let characters: string | undefined;
  let dataId = '';
  /** Whether the data or metadata that is being read is the unit's, not that of a match in it. */
  let isOfUnit = false;
  let isOwnGroup = false;
  /** The open `<pc>` of the text. */
  const pairs: { id: string; ref: string | undefined }[] = [];

  const append = (text: string): void => {
    if (content) {
      const last = content.at(-1);
      if (typeof last === 'string') content[content.length - 1] = last + text;
      else content.push(text);
    } else if (characters !== undefined) characters += text;
  };

  const openInline = (
    open: RawContent,
    name: string,
    attributes: Record<string, string>,
    line: number,
  ): void => {
    const { id = '', dataRef: ref } = attributes;
    if (name === 'ph') open.push({ type: 'void', id, ref });
    else if (name === 'sc') open.push({ type: 'open', id, ref });
    else if (name === 'ec') open.push({ type: 'close', id: attributes['startRef'] ?? id, ref });
    else if (name === 'pc') {
      open.push({ type: 'open', id, ref: attributes['dataRefStart'] });
      pairs.push({ id, ref: attributes['dataRefEnd'] });
    } else if (name === 'cp') append(characterOf(attributes['hex'], line));
    // Annotations are of no interest, and their text is the segment's.
    else if (name !== 'mrk' && name !== 'sm' && name !== 'em')
      throw new XmlFileError('invalid', 'an element in a text is none of XLIFF’s inline elements', line);
  };

  return {
    open(name: string, parent: string, attributes: Record<string, string>, line: number): void {
      if (content) openInline(content, name, attributes, line);
      else if (name === 'unit')
        unit = { id: attributes['id'] ?? '', line, version: null, data: new Map(), parts: [] };
      else if (!unit) return;
      else if (parent === 'unit' && (name === 'segment' || name === 'ignorable')) {
        const state = xliffStates.find((one) => one === attributes['state']) ?? 'initial';
        part = {
          isSegment: name === 'segment',
          state,
          source: [],
          target: null,
          order: unit.parts.length + 1,
        };
      } else if (part && (parent === 'segment' || parent === 'ignorable')) {
        if (name === 'source') content = part.source;
        else if (name === 'target') {
          const order = Number(attributes['order']);
          if (order > 0) part.order = order;
          part.target = content = [];
        }
      } else if (name === 'cp' && characters !== undefined) append(characterOf(attributes['hex'], line));
      else if (name === 'originalData' || name === 'mda:metadata') isOfUnit = parent === 'unit';
      else if (name === 'data' && parent === 'originalData' && isOfUnit) {
        dataId = attributes['id'] ?? '';
        characters = '';
      } else if (name === 'mda:metaGroup') isOwnGroup = isOfUnit && attributes['category'] === xliffAuthority;
      else if (name === 'mda:meta' && isOwnGroup && attributes['type'] === 'version') characters = '';
    },
    text: append,
    close(name: string, parent: string): void {
      if (content) {
        if (name === 'pc') content.push({ type: 'close', ...pairs.pop()! });
        // The element of the text itself: those of mtc:match and inline elements have another parent.
        else if (parent === 'segment' || parent === 'ignorable') content = undefined;
      } else if (!unit) return;
      else if (part && parent === 'unit') {
        unit.parts.push(part);
        part = undefined;
      } else if (name === 'data' && characters !== undefined) {
        unit.data.set(dataId, characters);
        characters = undefined;
      } else if (name === 'mda:meta' && characters !== undefined) {
        unit.version = characters.trim();
        characters = undefined;
      } else if (name === 'unit') {
        onUnit(joined(unit), unit.parts.length);
        unit = undefined;
      }
    },
  };
}

/** One text of the unit's segments. */
function joined({ data, parts, ...unit }: OpenUnit): ReadUnit {
  const resolve = (content: RawContent): XliffContent =>
    content.map((item) => (typeof item === 'string' ? item : resolved(item, data, unit.line)));
  const segments = parts.filter(({ isSegment }) => isSegment);
  const isTranslated = segments.length > 0 && segments.every(hasTarget);
  const inOrder = parts.toSorted((a, b) => a.order - b.order);
  const state = segments.reduce(
    (least, segment) => Math.min(least, xliffStates.indexOf(segment.state)),
    segments.length > 0 ? xliffStates.length - 1 : 0,
  );
  return {
    ...unit,
    state: xliffStates[state] ?? 'initial',
    source: resolve(parts.flatMap(({ source }) => source)),
    target: isTranslated ? resolve(inOrder.flatMap(({ source, target }) => target ?? source)) : null,
  };
}

/** An empty translation is none, unless there is nothing to translate. */
function hasTarget({ source, target }: Part): boolean {
  if (target === null) return false;
  const isBlank = (content: RawContent) =>
    content.every((item) => typeof item === 'string' && item.trim() === '');
  return !isBlank(target) || isBlank(source);
}

function resolved({ ref, ...code }: Referring, data: ReadonlyMap<string, string>, line: number): XliffCode {
  const known = ref === undefined ? '' : data.get(ref);
  if (known !== undefined) return { ...code, data: known };
  throw new XmlFileError(
    'invalid',
    `a code refers to ${JSON.stringify(ref?.slice(0, 100))}, which its unit does not have in <originalData>`,
    line,
  );
}

/** @throws {XmlFileError} for what is no character, or one that nothing can store */
function characterOf(hex: string | undefined, line: number): string {
  const code = /^[0-9A-Fa-f]{1,6}$/.test(hex ?? '') ? Number.parseInt(hex as string, 16) : 0;
  if (code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)) return String.fromCodePoint(code);
  throw new XmlFileError(
    'invalid',
    `<cp hex=${JSON.stringify((hex ?? '').slice(0, 20))}/> is no character`,
    line,
  );
}
