import type { SaxesTagPlain } from 'saxes';
import { isOffValue, rootOfPart, runCharacters, wordNamespaces } from '../docx/word-xml.ts';
import { FileError, limits, overLimit } from '../file-error.ts';
import { openPackage } from '../office/package.ts';
import { countCodePoints } from '../text.ts';
import { Paragraphs } from './paragraphs.ts';
import type { XmlEvents } from './xml.ts';

/**
 * Elements that are skipped with their content: the fallback for a `Choice`, deleted or moved text, the reading aid
 * above ruby text, and properties (the current ones and those before a tracked change).
 */
const skipped = new Set('Fallback del moveFrom rt pPr sectPr tblPr trPr tcPr sdtPr rPrChange'.split(' '));

/**
 * Reads the stories of a Word file: the body, a header, the footnotes, and so on. The limits apply to all stories of
 * the file together.
 */
class StoryReader {
  #elements = 0;
  #chars = 0;

  /**
   * Returns the text of one story.
   *
   * @param root the required local name of the root element of the story's part
   * @param feed passes the XML of the story's part to the events
   */
  async read(root: string, feed: (events: XmlEvents) => Promise<void>): Promise<string> {
    const story = new Story(root);
    await feed({
      openTag: (tag) => {
        if (++this.#elements > limits.docxElements)
          throw overLimit('the number of XML elements of the Word file', limits.docxElements);
        story.open(tag);
      },
      closeTag: (tag) => story.close(tag),
      text: (text) => {
        if (!story.hasText) return;
        this.#chars += countCodePoints(text);
        if (this.#chars > limits.textChars)
          throw overLimit('the number of characters of the file', limits.textChars);
        story.append(text);
      },
    });
    return story.text();
  }
}

class Story {
  readonly #root: string;
  readonly #paragraphs = new Paragraphs();
  /**
   * The texts of the open paragraphs: the paragraph of the story, and one for each text box around the current
   * position.
   */
  readonly #open: string[] = [];
  /**
   * The paragraphs of text boxes that are anchored in the outermost open paragraph. They are written after this
   * paragraph.
   */
  #boxes: string[] = [];
  /**
   * The prefix of Word's namespace with its colon; undefined before the root element; '' if Word's namespace is the
   * default.
   */
  #prefix: string | undefined;
  #tables = 0;
  /** The number of open elements from the outermost skipped element on; 0 outside of skipped elements. */
  #skipping = 0;
  #runs = 0;
  #hiddenRun = false;
  /** Whether the text of the innermost open element belongs to the document's visible text. */
  hasText = false;

  constructor(root: string) {
    this.#root = root;
  }

  open(tag: SaxesTagPlain): void {
    if (this.#prefix === undefined) {
      this.#prefix = this.#wordPrefix(tag);
      return;
    }
    const name = localName(tag);
    if (this.#skipping > 0 || skipped.has(name)) {
      this.#skipping++;
      return;
    }
    if (name === 't') this.hasText = !this.#hiddenRun;
    if (!this.#isWord(tag)) return;
    if (name === 'p') this.#open.push('');
    else if (name === 'tbl') this.#tables++;
    else if (name === 'r') this.#openRun();
    else if (name === 'vanish') this.#hiddenRun = this.#runs > 0 && !isOff(tag);
    else if (this.#runs > 0 && !this.#hiddenRun) this.append(runCharacters.get(name) ?? '');
  }

  close(tag: SaxesTagPlain): void {
    if (this.#skipping > 0) {
      this.#skipping--;
      return;
    }
    this.hasText = false;
    if (!this.#isWord(tag)) return;
    const name = localName(tag);
    if (name === 'p') this.#closeParagraph();
    else if (name === 'r') this.#closeRun();
    else if (name === 'tbl') {
      this.#tables--;
      if (this.#open.length === 0) this.#paragraphs.break('paragraph');
    }
  }

  append(text: string): void {
    const innermost = this.#open.length - 1;
    if (innermost >= 0) this.#open[innermost] += text;
  }

  text(): string {
    return this.#paragraphs.text();
  }

  #openRun(): void {
    this.#runs++;
    this.#hiddenRun = false;
  }

  #closeRun(): void {
    this.#runs--;
    this.#hiddenRun = false;
  }

  #closeParagraph(): void {
    const text = this.#open.pop();
    if (text === undefined) return;
    if (this.#open.length > 0) {
      this.#boxes.push(text);
      return;
    }
    for (const paragraph of [text, ...this.#boxes]) {
      this.#paragraphs.append(paragraph);
      this.#paragraphs.break(this.#tables > 0 ? 'line' : 'paragraph');
    }
    this.#boxes = [];
  }

  #wordPrefix(root: SaxesTagPlain): string {
    const colon = root.name.indexOf(':') + 1;
    const declaration = colon === 0 ? 'xmlns' : `xmlns:${root.name.slice(0, colon - 1)}`;
    if (localName(root) !== this.#root || !wordNamespaces.has(root.attributes[declaration] ?? ''))
      throw new FileError('unreadable', 'the file is not a Word document');
    return root.name.slice(0, colon);
  }

  /**
   * Whether the tag has the prefix that the root element declares for Word's namespace. No known program declares a
   * second prefix for it.
   */
  #isWord({ name }: SaxesTagPlain): boolean {
    const prefix = this.#prefix!;
    return name.startsWith(prefix) && !name.includes(':', prefix.length);
  }
}

function localName({ name }: SaxesTagPlain): string {
  return name.slice(name.indexOf(':') + 1);
}

function isOff({ attributes }: SaxesTagPlain): boolean {
  const value = Object.entries(attributes).find(([name]) => name.endsWith(':val') || name === 'val')?.[1];
  return isOffValue(value);
}

/** The types of other parts with text: those before the main part in reading order, and (`after`) those after it. */
const before = ['header'];
const after = ['footnotes', 'endnotes', 'footer'];

/**
 * Returns the visible text of a Word file: headers, body with text boxes and tables, footnotes and endnotes, footers.
 * If several sections have the same header or footer, its text occurs once. A header or footer without a letter, such
 * as a page number, is excluded. The text includes tracked insertions, but no tracked deletions, comments or hidden
 * text.
 *
 * @throws {FileError} `unreadable`, `protected` or `too_large`
 */
export async function readDocx(bytes: Uint8Array): Promise<string> {
  const office = await openPackage(bytes);
  const main = (await office.relationships('')).find(({ type }) => type === 'officeDocument')?.target;
  if (main === undefined) throw new FileError('unreadable', 'the file is not a Word document');
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
        if (part.type === type && part.target) texts.add(await readStory(rootOfPart[type]!, part.target));
      for (const text of texts) if (/\p{L}/u.test(text)) add(text);
    }
  };
  await addAll(before);
  add(await readStory(rootOfPart['officeDocument']!, main));
  await addAll(after);
  return all.text();
}
