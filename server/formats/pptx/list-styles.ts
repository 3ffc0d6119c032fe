import type { RunProperties } from '../office/paragraph/text-format.ts';
import { readPositionedXml, type XmlStartTag } from '../office/xml-reader.ts';
import { isOnValue } from './drawing-xml.ts';
import { addAttributes, addElement } from './run-properties.ts';

/** The properties of the paragraphs of one level. */
export interface LevelStyle {
  /** The alignment as in the file: `l`, `r`, `ctr`, `just` or a variety of `just`. */
  alignment?: string;
  isRightToLeft?: boolean;
  run: RunProperties;
}

/** The properties of the nine levels of paragraphs. Levels that set nothing are missing. */
export type Levels = readonly (LevelStyle | undefined)[];

/** The maximum number of cached results. The shapes of a file have many lists, but few different ones. */
const maxCached = 200;
const cached = new Map<string, Levels>();

/**
 * Reads an element with properties of levels, such as `a:lstStyle`.
 *
 * @param raw the XML of the element; its namespaces may be declared outside of it
 * @throws {FileError} as `readPositionedXml` does
 */
export function readLevels(raw: string): Levels {
  const known = cached.get(raw);
  if (known) return known;
  const levels: LevelStyle[] = [];
  let depth = 0;
  let level: LevelStyle | undefined;
  let inRun = false;
  let property: XmlStartTag | undefined;
  readPositionedXml(raw, {
    openTag: (tag) => {
      depth++;
      if (depth === 2) {
        const number = /^lvl([1-9])pPr$/.exec(tag.local)?.[1];
        level = number === undefined ? undefined : { run: {} };
        if (!level) return;
        levels[Number(number) - 1] = level;
        const { algn, rtl } = tag.attributes;
        if (algn !== undefined) level.alignment = algn;
        if (rtl !== undefined) level.isRightToLeft = isOnValue(rtl);
      } else if (depth === 3 && level) {
        inRun = tag.local === 'defRPr';
        if (inRun) addAttributes(level.run, tag);
      } else if (depth === 4 && inRun) property = tag;
    },
    closeTag: ({ end }) => {
      if (depth === 4 && property && level) addElement(level.run, property, raw.slice(property.start, end));
      if (depth === 4) property = undefined;
      depth--;
    },
  });
  if (cached.size === maxCached) cached.clear();
  cached.set(raw, levels);
  return levels;
}

/** Returns the properties of a level. @param inherited the lists from the most general to the most specific */
export function levelOf(inherited: readonly Levels[], level: number): LevelStyle {
  const result: LevelStyle = { run: {} };
  for (const levels of inherited) {
    const own = levels[level];
    if (own) Object.assign(result, own, { run: { ...result.run, ...own.run } });
  }
  return result;
}
