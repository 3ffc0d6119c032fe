import type { Token } from 'parse5';
import { isVerbatim, readerFor, SourceReader } from './source-reader.ts';
import { modeOf, modeOfTag, parentTree } from './translate-attribute.ts';

/** The attributes whose values are translated, on any element. */
export const translatableAttributes = ['title', 'alt', 'placeholder', 'aria-label'] as const;

export type TranslatableAttribute = (typeof translatableAttributes)[number];

/** A range of the source between two tags or comments: a text of one element. */
export interface TextRange {
  kind: 'text';
  start: number;
  end: number;
  element: string;
  /** Whether `<` is an ordinary character in the range, as in a textarea. */
  verbatim: boolean;
}

/** The range of a translatable attribute: its name, equals sign, quotes and value. */
export interface AttributeRange {
  kind: 'attribute';
  start: number;
  end: number;
  element: string;
  attribute: TranslatableAttribute;
  /** The attribute's value, as decoded by the parser. */
  value: string;
}

export type TranslatableRange = TextRange | AttributeRange;

/** Returns the ranges of `source` that are translated, in source order and without overlap. */
export function findTranslatableRanges(source: string): TranslatableRange[] {
  return readerFor(source, RangeReader, parentTree).read(source).places;
}

class RangeReader extends SourceReader {
  readonly places: TranslatableRange[] = [];

  protected override readText(token: Token.CharacterToken, start: number): void {
    const last = this.places.at(-1);
    if (last?.kind === 'text' && last.start === start) {
      last.end = token.location!.endOffset;
      return;
    }
    if (token.chars.trim() === '' || this.openElements.tmplCount > 0) return;
    const element = this.textParent;
    if (modeOf(element) !== 'yes') return;
    this.places.push({
      kind: 'text',
      start,
      end: token.location!.endOffset,
      // The root element is the current element only in a fragment. It then represents the page around the fragment.
      element: element === this.openElements.items[0] ? 'body' : element.nodeName,
      verbatim: isVerbatim(element),
    });
  }

  protected override readStartTag(token: Token.TagToken): void {
    if (this.openElements.tmplCount > 0) return;
    if (modeOfTag(token.tagName, token.attrs, modeOf(this.current)) !== 'yes') return;
    for (const { name, value } of token.attrs) {
      const attribute = translatableAttributes.find((translatable) => translatable === name);
      const location = token.location!.attrs?.[name];
      if (attribute === undefined || location === undefined) continue;
      this.places.push({
        kind: 'attribute',
        start: location.startOffset,
        end: location.endOffset,
        element: token.tagName,
        attribute,
        value,
      });
    }
  }
}
