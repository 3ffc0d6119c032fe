import { XmlFileError } from '../xml/xml-parser.ts';
import {
  type XliffCode,
  type XliffContent,
  type XliffState,
  xliffAuthority,
  xliffStates,
} from './content.ts';

/** A unit of a returned file. */
export interface ReadUnit {
  /** The id of the unit; empty if it has none. */
  id: string;
  /** The line of the `<unit>` element, from 1. */
  line: number;
  /** The version of the translation from which the file was made; null if a tool has removed this metadata. */
  version: string | null;
  /** The least advanced state of the unit's segments. */
  state: XliffState;
  source: XliffContent;
  /** The translation; null if a segment has none. */
  target: XliffContent | null;
}

/** A code with a reference to its data. The reference is replaced by the data at the end of the unit. */
type Referring = Omit<XliffCode, 'data'> & { ref: string | undefined };
type RawContent = (string | Referring)[];

/** A segment of a unit, or an ignorable text between two segments. */
interface Part {
  isSegment: boolean;
  state: XliffState;
  source: RawContent;
  target: RawContent | null;
  /** The position of the translation in the unit, from 1. By default, the position of the part itself. */
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
 * Reads the units of a file from the parser's events. Tools may split a unit into several segments; this function joins
 * their texts.
 *
 * @param onUnit is called at the end of each unit with the unit, and with the number of its segments and ignorable
 *   texts
 */
export function createUnitReader(onUnit: (unit: ReadUnit, parts: number) => void) {
  let unit: OpenUnit | undefined;
  let part: Part | undefined;
  /** The open source or target text; undefined outside of such texts. */
  let content: RawContent | undefined;
  /** The characters of the open element if it contains a version or the data of a code; otherwise undefined. */
  let characters: string | undefined;
  let dataId = '';
  /** Whether the open data or metadata belongs to the unit itself, not to a match in the unit. */
  let isOfUnit = false;
  let isOwnGroup = false;
  /** The open `<pc>` elements of the text, innermost last. */
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
    // Annotations are ignored; the text inside them is part of the segment.
    else if (name !== 'mrk' && name !== 'sm' && name !== 'em')
      throw new XmlFileError('invalid', 'an element in a text is not an inline element of XLIFF', line);
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
        // The end of the source or target. Elements with the same names in matches or inline markup have other parents.
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

/** Joins the texts of the unit's segments and ignorable texts. */
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

/** Whether a segment has a translation. An empty translation only counts if the source is also empty. */
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
    `an inline code refers to the data ${JSON.stringify(ref?.slice(0, 100))}, which is not in the <originalData> of its unit`,
    line,
  );
}

/**
 * Returns the character that a `<cp>` element represents.
 *
 * @throws {XmlFileError} if the code point is not a character, or cannot be stored
 */
function characterOf(hex: string | undefined, line: number): string {
  const code = /^[0-9A-Fa-f]{1,6}$/.test(hex ?? '') ? Number.parseInt(hex as string, 16) : 0;
  if (code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)) return String.fromCodePoint(code);
  throw new XmlFileError(
    'invalid',
    `<cp hex=${JSON.stringify((hex ?? '').slice(0, 20))}/> is not a valid character`,
    line,
  );
}
