import { type InlineContent, joinStrings } from '../../inline-content.ts';
import { withoutForbidden } from '../splice.ts';
import { growthOf, shortenBlank } from './blanks.ts';
import { restoreNoBreakHyphens } from './hyphens.ts';
import { haveSameShape, placeMarkers } from './marker-positions.ts';
import type { ParagraphContent, PlacedMarker, TextProperties } from './paragraph-content.ts';
import { writableTarget } from './target-tags.ts';
import {
  type Run,
  rejectLength,
  type TextMarkup,
  type Token,
  withDeclarations,
  writeTokens,
} from './tokens.ts';

/** Computes the properties of translated runs. */
export interface RunFormatting {
  /** Whether the properties of a run contain the direction of its text, and the translation has another one. */
  changesDirection: boolean;
  /**
   * Returns the properties of a translated run.
   *
   * @param properties the XML of the source's properties; '' if the run has none
   * @param prefix the namespace prefix of the elements, with the colon
   * @param isRightToLeft whether the paragraph's style makes the text right-to-left
   */
  of(properties: string, prefix: string, isRightToLeft: boolean): string;
}

/** The formatting that a translated paragraph gets. */
export interface WritingStyle {
  /** The namespace prefix of the elements in this paragraph, with the colon. */
  prefix: string;
  markup: TextMarkup;
  formatting: RunFormatting;
  /** Whether the paragraph's style makes the text right-to-left. */
  isRightToLeftStyle: boolean;
}

interface WrittenContent {
  text: string;
  /**
   * Whether the tags are in the order of the source, although the translation has another order that the paragraph does
   * not allow.
   */
  isReordered: boolean;
  /** Whether words of the translation lack the formatting that the source has. */
  hasLostFormat: boolean;
}

/**
 * Returns the XML content of a translated paragraph, without the `pPr` element.
 *
 * @param translation the translation of the paragraph's segment, with the tags of the source
 */
export function writeParagraph(
  content: ParagraphContent,
  translation: InlineContent,
  style: WritingStyle,
): WrittenContent {
  const { target, isReordered } = writableTarget(content, translation.map(cleanItem));
  const items = withoutEdges(target);
  const markers = placeMarkers(content.markers, content.source, items);
  const padded = padEdges(items, markers, content.leadingSpace, content.trailingSpace);
  const writer = new ContentWriter(content, style);
  let next = 0;
  for (const [index, item] of padded.entries()) {
    let written = 0;
    while (next < markers.length && markers[next]!.index === index) {
      const { token, offset } = markers[next++]!;
      if (typeof item === 'string' && offset > written) {
        writer.text(item.slice(written, offset));
        written = offset;
      }
      writer.tokens([token]);
    }
    if (typeof item === 'string') writer.text(item.slice(written));
    else if (item.type === 'close') writer.close(item.tag);
    else writer.open(item.tag, item.type);
  }
  writer.tokens(markers.slice(next).map(({ token }) => token));
  const growth = growthOf(content.source, items);
  return {
    text:
      writeTokens(inDirection(content.head, style)) +
      writer.written() +
      writeTokens(inDirection(shortenBlank(content.tail, growth), style)),
    isReordered,
    hasLostFormat: content.isSimplified || writer.formatsWritten < countFormats(content),
  };
}

function countFormats({ tags }: ParagraphContent): number {
  return [...tags.values()].filter(({ isFormat }) => isFormat).length;
}

/** Returns the XML of a segment that is not translated. */
export function sourceOf({ head, body, tail }: ParagraphContent, style: WritingStyle): string {
  return writeTokens(inDirection([...head, ...body, ...tail], style));
}

/** Gives the runs of untranslated text, such as `1.` before a tab, the direction of the translation. */
function inDirection(
  tokens: readonly Token[],
  { formatting, prefix, isRightToLeftStyle }: WritingStyle,
): Token[] {
  if (!formatting.changesDirection) return [...tokens];
  const runs = new Map<Run, Run>();
  for (const { type, run } of tokens)
    if (type === 'text' && run && !runs.has(run))
      runs.set(run, { ...run, properties: formatting.of(run.properties, prefix, isRightToLeftStyle) });
  return tokens.map((token) => ({ ...token, run: token.run && (runs.get(token.run) ?? token.run) }));
}

/**
 * Whether the translation equals the source, apart from missing tags of formatting. Such a paragraph stays unchanged.
 */
export function isUnchanged({ source, tags }: ParagraphContent, target: InlineContent): boolean {
  const present = new Set(target.map((item) => typeof item !== 'string' && item.tag));
  const expected = joinStrings(
    source.filter(
      (item) => typeof item === 'string' || present.has(item.tag) || !tags.get(item.tag)!.isFormat,
    ),
  );
  return (
    haveSameShape(expected, target) &&
    expected.every((item, index) => typeof item !== 'string' || item === target[index])
  );
}

function cleanItem(item: InlineContent[number]): InlineContent[number] {
  return typeof item === 'string' ? withoutForbidden(item) : item;
}

/** Removes the spaces at the edges of a translation. They are a mistake, because the source of a segment has none. */
function withoutEdges(content: InlineContent): InlineContent {
  const items = [...content];
  const first = items[0];
  if (typeof first === 'string') items[0] = first.trimStart();
  const last = items.at(-1);
  if (typeof last === 'string') items[items.length - 1] = last.trimEnd();
  return items.filter((item) => item !== '');
}

/** Puts the spaces of the source at the edges of a translation, and moves the positions of the markers accordingly. */
function padEdges(
  items: InlineContent,
  markers: PlacedMarker[],
  leading: string,
  trailing: string,
): InlineContent {
  const padded = [...items];
  if (leading !== '') {
    if (typeof padded[0] === 'string') {
      padded[0] = leading + padded[0];
      for (const marker of markers) if (marker.index === 0) marker.offset += leading.length;
    } else {
      padded.unshift(leading);
      for (const marker of markers) marker.index++;
    }
  }
  if (trailing !== '') {
    const last = padded.at(-1);
    if (typeof last === 'string') padded[padded.length - 1] = last + trailing;
    else padded.push(trailing);
  }
  return padded;
}

class ContentWriter {
  readonly #content: ParagraphContent;
  readonly #style: WritingStyle;
  readonly #open: number[] = [];
  readonly #formats = new Set<number>();
  /**
   * Tokens to write unchanged. They are collected until the next text, because consecutive tokens of the same run share
   * the run's tags.
   */
  #pending: Token[] = [];
  #written = '';

  constructor(content: ParagraphContent, style: WritingStyle) {
    this.#content = content;
    this.#style = style;
  }

  text(text: string): void {
    if (text === '') return;
    this.#flush();
    const { prefix, markup, formatting, isRightToLeftStyle } = this.#style;
    const properties = this.#propertiesOfText();
    const raw = formatting.of(properties.raw, prefix, isRightToLeftStyle);
    const written = restoreNoBreakHyphens(text, this.#content.noBreakWords);
    this.#written += markup.runs(written, openingOf(prefix, properties), raw, prefix);
    rejectLength(this.#written);
  }

  /** Returns the properties of the innermost pair. In another link than in the source, formatting does not apply. */
  #propertiesOfText(): TextProperties {
    const { tags, properties } = this.#content;
    const around = this.#open.findLast((tag) => !tags.get(tag)!.isFormat) ?? 0;
    const format = this.#open.findLast((tag) => tags.get(tag)!.isFormat && tags.get(tag)!.parent === around);
    if (format === undefined) return tags.get(around)?.properties ?? properties;
    this.#formats.add(format);
    return tags.get(format)!.properties!;
  }

  /** The number of tags whose formatting was written. */
  get formatsWritten(): number {
    return this.#formats.size;
  }

  tokens(tokens: readonly Token[]): void {
    for (const token of tokens) this.#pending.push(token);
  }

  open(tag: number, type: 'open' | 'void'): void {
    this.tokens(this.#content.tags.get(tag)!.open);
    if (type === 'open') this.#open.push(tag);
  }

  close(tag: number): void {
    this.#open.pop();
    this.tokens(this.#content.tags.get(tag)!.close);
  }

  written(): string {
    this.#flush();
    return this.#written;
  }

  #flush(): void {
    this.#written += writeTokens(this.#pending);
    rejectLength(this.#written);
    this.#pending = [];
  }
}

function openingOf(prefix: string, { declarations }: TextProperties): string {
  return withDeclarations(`<${prefix}r>`, declarations);
}
