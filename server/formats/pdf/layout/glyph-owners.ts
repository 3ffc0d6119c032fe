import type { PageContent, ShownText } from '../page-content.ts';
import type { GlyphRange } from '../text-block.ts';
import type { Glyph } from './pieces.ts';

/** Assigns each glyph of a page to one owner: a block, or a text that is not translated. Owners are numbers from 0. */
export class GlyphOwners {
  readonly #owners = new Map<ShownText, (number | undefined)[]>();
  #count = 0;

  constructor({ texts }: PageContent) {
    for (const text of texts)
      this.#owners.set(text, new Array<number | undefined>(text.glyphs.length).fill(undefined));
  }

  /** Assigns glyphs to a new owner, together with their doubles, which are drawn below them. Returns the owner. */
  add(glyphs: Iterable<Glyph>): number {
    const owner = this.#count++;
    for (const { piece, index } of glyphs) {
      this.#owners.get(piece.shown)![index] ??= owner;
      for (const double of piece.doubles) this.#owners.get(double.shown)![index] ??= owner;
    }
    return owner;
  }

  /** Assigns all glyphs of a text to a new owner, except glyphs that already have an owner. Returns the owner. */
  addText(text: ShownText): number {
    const owner = this.#count++;
    const owners = this.#owners.get(text)!;
    for (const index of owners.keys()) owners[index] ??= owner;
    return owner;
  }

  ownerOf({ piece, index }: Glyph): number | undefined {
    return this.#owners.get(piece.shown)![index];
  }

  /** Returns the texts of which no glyph has an owner, in painting order. */
  unowned(): ShownText[] {
    return [...this.#owners]
      .filter(([, owners]) => owners.every((owner) => owner === undefined))
      .map(([text]) => text);
  }

  /**
   * Returns the glyphs of each owner, by the owner's number. A glyph without an owner, such as a space, is added to the
   * owner of the previous glyph in its text, or else of the next one.
   */
  ranges(): GlyphRange[][] {
    const ranges = Array.from({ length: this.#count }, (): GlyphRange[] => []);
    for (const [text, owners] of this.#owners) {
      let last = owners.find((owner) => owner !== undefined);
      let open: GlyphRange | undefined;
      let openOwner: number | undefined;
      for (const [index, own] of owners.entries()) {
        const owner = own ?? last;
        last = owner;
        if (owner === undefined) continue;
        if (open && openOwner === owner) open.to = index + 1;
        else {
          open = { text, from: index, to: index + 1 };
          openOwner = owner;
          ranges[owner]!.push(open);
        }
      }
    }
    return ranges;
  }
}
