import { FlattenError } from '../error.ts';
import { Paragraphs } from '../paragraphs.ts';
import { openPackage } from './package.ts';
import { StoryReader } from './story.ts';

/** The parts that hold text beside the main one, in the order in which they are read around it. */
const before = ['header'];
const after = ['footnotes', 'endnotes', 'footer'];

/**
 * The text of a Word file as its reader sees it: headers, body with text boxes and tables, footnotes and endnotes,
 * footers. A header or footer that several sections repeat is there once, and not at all where it is only a number.
 * Insertions are text, deletions, comments and hidden text are not.
 *
 * @throws {FlattenError} `unreadable`, `protected` or `too_large`
 */
export async function readDocx(bytes: Uint8Array): Promise<string> {
  const office = await openPackage(bytes);
  const main = (await office.relationships('')).find(({ type }) => type === 'officeDocument')?.target;
  if (main === undefined) throw new FlattenError('unreadable', 'the file is not a Word document');
  const parts = await office.relationships(main);
  const reader = new StoryReader();
  const all = new Paragraphs();
  const readStory = (root: string, path: string): Promise<string> =>
    reader.read(root, (events) => office.readPart(path, events));
  const add = (text: string): void => {
    all.append(text);
    all.break('paragraph');
  };
  const addAll = async (types: readonly string[]): Promise<void> => {
    for (const type of types) {
      const texts = new Set<string>();
      for (const part of parts)
        if (part.type === type && part.target) texts.add(await readStory(rootOf[type]!, part.target));
      for (const text of texts) if (/\p{L}/u.test(text)) add(text);
    }
  };
  await addAll(before);
  add(await readStory('document', main));
  await addAll(after);
  return all.text();
}

/** The root element of a part of each type. */
const rootOf: Record<string, string> = {
  header: 'hdr',
  footer: 'ftr',
  footnotes: 'footnotes',
  endnotes: 'endnotes',
};
