/**
 * An event in the editor of a document, read from the page and not from the application. `input`: the field has another
 * text. `confirm`: the key was pressed while the field had this text. `saved`: the foot shows that everything is saved.
 */
export interface SeenInEditor {
  kind: 'input' | 'confirm' | 'saved';
  /** Milliseconds since 1970. */
  at: number;
  /** The position of the open segment; -1 for `saved`. */
  position: number;
  text: string;
}

/** The places in which a text can be: the database, and the browser's storage. */
export interface StoredTexts {
  /** The translation of each segment. */
  segments: readonly string[];
  /** The texts of each confirmation that the service has recorded, by position. */
  confirmed: ReadonlyMap<number, readonly string[]>;
  /** The texts that are kept on the device, by position. */
  drafts: ReadonlyMap<number, readonly string[]>;
  /** The time at which the page ended; undefined if it still exists, and has sent everything. */
  endedAt: number | undefined;
}

/** A unique word that the reviewer has typed. */
interface Word {
  word: string;
  position: number;
  page: number;
  at: number;
  /** Whether the foot has shown since that everything is saved. */
  isSaved: boolean;
}

/** A word that was typed less than this many milliseconds before its page ended may be lost. */
const mayBeLost = 1000;

/**
 * Records what a reviewer types and confirms in the editor. The reviewer adds unique words and deletes none, so each
 * word must be in its segment once, or on the device.
 */
export class KeptSegments {
  private words: Word[] = [];
  private readonly known = new Set<string>();
  /** The texts of the confirmations that the reviewer has requested, by position. */
  private readonly presses = new Map<number, string[]>();
  private page = 0;
  readonly counts = {
    words: 0,
    confirmations: 0,
    claims: 0,
    restored: 0,
    discarded: 0,
    conflicts: 0,
    lost: 0,
  };

  /** A new page begins. */
  begin(): void {
    this.page += 1;
  }

  see({ kind, at, position, text }: SeenInEditor): void {
    if (kind === 'saved') {
      this.counts.claims += 1;
      for (const one of this.words) if (one.page === this.page && one.at <= at) one.isSaved = true;
    } else if (kind === 'confirm') {
      this.counts.confirmations += 1;
      this.presses.set(position, [...(this.presses.get(position) ?? []), text]);
    } else
      for (const word of wordsOf(text)) {
        if (this.known.has(word)) continue;
        this.known.add(word);
        this.counts.words += 1;
        this.words.push({ word, position, page: this.page, at, isSaved: false });
      }
  }

  /** The reviewer replaces all texts of a segment by one: words that it lacks need not be kept. */
  choose(position: number, text: string): void {
    this.words = this.words.filter((one) => one.position !== position || text.includes(one.word));
  }

  /** Returns errors: words that are lost or twice in a text, and confirmations without a request. */
  check({ segments, confirmed, drafts, endedAt }: StoredTexts): string[] {
    const wrong: string[] = [];
    for (const [position, texts] of confirmed) {
      const presses = this.presses.get(position) ?? [];
      if (texts.length > presses.length)
        wrong.push(`segment ${position}: ${presses.length} confirmations requested, ${texts.length} stored`);
      for (const text of texts)
        if (!presses.includes(text))
          wrong.push(`segment ${position} was confirmed as "${text}", not ${JSON.stringify(presses)}`);
    }
    for (const [position, text] of segments.entries())
      for (const word of wordsOf(text)) {
        if (text.split(word).length > 2) wrong.push(`${word} is twice in segment ${position}: "${text}"`);
        if (!this.known.has(word)) wrong.push(`${word} of segment ${position} was not typed in this test`);
      }
    this.words = this.words.filter((one) => {
      const { word, position, page, at, isSaved } = one;
      if (segments[position]?.includes(word)) return true;
      const isOnDevice = (drafts.get(position) ?? []).some((text) => text.includes(word));
      const isRecent = endedAt !== undefined && page === this.page && at > endedAt - mayBeLost;
      if (isSaved) wrong.push(`${word} of segment ${position} was called saved, and is not stored`);
      else if (isOnDevice) return true;
      else if (isRecent) this.counts.lost += 1;
      else {
        const from = page === this.page ? 'in this page' : `${this.page - page} pages ago`;
        const age = endedAt === undefined ? from : `${from}, ${endedAt - at} ms before the end`;
        wrong.push(
          `${word} of segment ${position}, typed ${age}, is nowhere: stored "${segments[position]}", on the device ${JSON.stringify(drafts.get(position) ?? [])}`,
        );
      }
      return false;
    });
    return wrong;
  }
}

/** The words of a text that a reviewer of these tests has typed. */
function wordsOf(text: string): string[] {
  return text.match(/\bw[0-9a-z]+z\b/g) ?? [];
}
