import { attributeOf, readPositionedXml, type XmlStartTag } from '../office/xml-reader.ts';

/** A level of a list, such as `Article %1`. */
interface Level {
  level: string;
  isBullet: boolean;
  text: string;
  /** The style whose paragraphs have this level; '' if there is none. */
  style: string;
}

/** Word numbers the levels from 0. */
const firstLevel = '0';
/** The maximum number of levels of a list in Word. */
const maxLevels = 9;

/**
 * Counts the list labels with words that the paragraphs of a file use. They are kept: a label is a pattern for a number,
 * which has no context to translate from, and whose words may have to change their order or their ending.
 *
 * @param numbering the XML of the part with the lists
 * @param stories the XML of the stories
 */
export function countListLabels(numbering: string, stories: readonly string[]): number {
  const { lists, levels } = readLists(numbering);
  if (![...levels.values()].flat().some(({ text }) => hasWord(text))) return 0;
  const used = new Set<Level>();
  const ofStyles = new Map([...levels.values()].flat().map((level) => [level.style, level]));
  const use = (level: Level | undefined): void => {
    if (level && !level.isBullet && hasWord(level.text)) used.add(level);
  };
  for (const source of stories) {
    let level = firstLevel;
    for (const [tag, name] of source.matchAll(/<(?:\w+:)?(pStyle|numPr|ilvl|numId)\b[^<>]*>/g)) {
      const value = /\bval\s*=\s*["']([^"']*)/.exec(tag)?.[1] ?? '';
      if (name === 'pStyle' && value !== '') use(ofStyles.get(value));
      else if (name === 'numPr') level = firstLevel;
      else if (name === 'ilvl') level = value;
      else
        use(
          lists
            .get(value)
            ?.flatMap((id) => levels.get(id) ?? [])
            .find((one) => one.level === level),
        );
    }
  }
  return used.size;
}

/** Whether the text of a label has a word besides its numbers, such as `%1`. A single letter is a sign. */
function hasWord(text: string): boolean {
  return /\p{L}{2}/u.test(text.replace(/%\d/g, ' '));
}

/**
 * Reads the lists of a file.
 *
 * @returns for each list, the keys of its levels: first those that it changes, then those of the list that it uses
 */
function readLists(numbering: string): { lists: Map<string, string[]>; levels: Map<string, Level[]> } {
  const lists = new Map<string, string[]>();
  const levels = new Map<string, Level[]>();
  let list = '';
  let key = '';
  let level: Level | undefined;
  const valueIn = (tag: XmlStartTag): string => attributeOf(tag, 'val') ?? '';
  const start: Record<string, (tag: XmlStartTag) => void> = {
    abstractNum: (tag) => {
      key = `abstract ${attributeOf(tag, 'abstractNumId')}`;
    },
    num: (tag) => {
      list = attributeOf(tag, 'numId') ?? '';
      key = `own ${list}`;
      lists.set(list, [key]);
    },
    abstractNumId: (tag) => void lists.get(list)?.push(`abstract ${valueIn(tag)}`),
    lvl: (tag) => {
      level = { level: attributeOf(tag, 'ilvl') ?? firstLevel, isBullet: false, text: '', style: '' };
      const own = levels.get(key);
      if (own && own.length < maxLevels) own.push(level);
      else if (!own) levels.set(key, [level]);
    },
    numFmt: (tag) => level && Object.assign(level, { isBullet: valueIn(tag) === 'bullet' }),
    lvlText: (tag) => level && Object.assign(level, { text: valueIn(tag) }),
    pStyle: (tag) => level && Object.assign(level, { style: valueIn(tag) }),
  };
  readPositionedXml(numbering, {
    openTag: (tag) => Object.hasOwn(start, tag.local) && start[tag.local]!(tag),
  });
  return { lists, levels };
}
