import type { NewList, NewParagraph } from '../docx/new-document.ts';
import type { Item } from './word-items.ts';

/** The bullets of Word lists. Other labels, such as "2.1", stay a part of the text. */
const bullet = /^[•‣◦▪▫●○■□◆◇►▶➢✓✔·–—*-]$/u;
const number = /^(\(?)(\d{1,3}|[a-z]|[A-Z])([.)]|\.\))$/;
/** The maximum number of levels of a list in the file. */
const maxLevel = 4;
/** The minimum distance between the starts of two levels, as a factor of the font size. */
const minLevelIndent = 0.5;

interface OpenLevel {
  start: number;
  size: number;
  /** The list of the last item, with its number. */
  list: { id: number; key: string; number: number } | undefined;
}

/** Finds the lists of a document: consecutive items with one bullet, or with numbers that follow each other. */
export class WordLists {
  readonly lists: NewList[] = [];
  /** The identifiers of the lists with bullets, by bullet and level. */
  readonly #bullets = new Map<string, number>();
  #levels: OpenLevel[] = [];

  /** Ends all lists, at a text that is not an item. */
  end(): void {
    this.#levels = [];
  }

  /** Returns the place of an item in its list; undefined if its label must be a part of its text. */
  place({ label, start, size }: Item): NewParagraph['list'] {
    const levels = this.#levels;
    while (levels.length > 0 && levels.at(-1)!.start > start + minLevelIndent * size) levels.pop();
    const last = levels.at(-1);
    if (!last || (start - last.start > minLevelIndent * size && levels.length < maxLevel))
      levels.push({ start, size, list: undefined });
    const level = levels.length - 1;
    const text = label ?? '';
    if (bullet.test(text)) return { id: this.#bulletList(text, level), level };
    const [, before, digits, after] = number.exec(text) ?? [];
    if (!digits) return undefined;
    return { id: this.#numberList({ before: before!, digits, after: after! }, level), level };
  }

  #bulletList(text: string, level: number): number {
    const key = `${level} ${text}`;
    const known = this.#bullets.get(key);
    if (known) return known;
    const id = this.lists.push({ format: 'bullet', text, start: 1, level });
    this.#bullets.set(key, id);
    return id;
  }

  #numberList(
    { before, digits, after }: { before: string; digits: string; after: string },
    level: number,
  ): number {
    const format = /\d/.test(digits) ? 'decimal' : /[a-z]/.test(digits) ? 'lowerLetter' : 'upperLetter';
    const value = format === 'decimal' ? Number(digits) : digits.toLowerCase().charCodeAt(0) - 96;
    const key = `${format} ${before}${after}`;
    const open = this.#levels.at(-1)!;
    const isNext = open.list?.key === key && value === open.list.number + 1;
    const id = isNext
      ? open.list!.id
      : this.lists.push({ format, text: `${before}%1${after}`, start: value, level });
    open.list = { id, key, number: value };
    return id;
  }
}
