import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { OutputOf } from '#sdk/procedure-types.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Segment } from '../segment-filter.ts';
import { segmentPage } from '../use-segments.ts';
import type { Act, Fix } from './page-fixes.ts';

/** A text of a page. */
export interface PageText {
  /** Its region ID. */
  id: string;
  /** Undefined if the text is not translated because of what it is, such as a number. */
  segment: Segment | undefined;
  text: string;
  /** Whether it stays as it is in the source. */
  isKept: boolean;
  /** Left, bottom, right and top on the page of the source. */
  rectangles: readonly number[][];
}

/** A place of a page to look at: the service is not sure which words are one text. */
export type Place = OutputOf<'documents.page'>['places'][number];

const noPlaces: readonly Place[] = [];

/** The texts of a page in the reading order, then those that are not translated; undefined while they are loading. */
export function usePageTexts(documentId: string, page: number) {
  const segments = useQuery(segmentPage(documentId, { page }, 0));
  const kept = useQuery({
    queryKey: queryKeys.documents.keptTexts(documentId, page),
    queryFn: () => procedures.documents.page.query({ document_id: documentId, page }),
  });
  const texts = useMemo(
    () =>
      segments.data && [
        ...segments.data.segments.map(
          (segment): PageText => ({
            id: segment.region_id,
            segment,
            text: segment.source_text,
            isKept: segment.provenance?.['kept'] === true,
            rectangles: segment.source_rectangles ?? [],
          }),
        ),
        ...(kept.data?.kept ?? []).map(
          ({ region_id: id, text, rectangle }): PageText => ({
            ...{ id, text, segment: undefined, isKept: true },
            rectangles: [rectangle],
          }),
        ),
      ],
    [segments.data, kept.data],
  );
  const places = kept.data?.places ?? noPlaces;
  return { texts, places, error: segments.error, refetch: segments.refetch };
}

/** The work of the keys of the page: select texts, divide one, or move one in the reading order. */
export type Mode =
  | { kind: 'select' }
  | { kind: 'split'; id: string }
  | { kind: 'order'; id: string; index: number };

/** Why an act is not possible: the selection does not fit it, a colleague has a text, or a text is being fixed. */
export type Refusal =
  | { kind: 'two' | 'one' | 'kept' | 'translated' | 'word' | 'sending' }
  | { kind: 'between'; texts: PageText[]; all: PageText[] }
  | { kind: 'held'; who: string; number: number };

/** Returns why an act on texts is not possible; undefined if it is. */
export function refusalOf(
  act: Act,
  chosen: readonly PageText[],
  all: readonly PageText[],
  { holders, waiting }: { holders: ReadonlyMap<number, readonly string[]>; waiting: ReadonlySet<string> },
): Refusal | undefined {
  if (chosen.some(({ id }) => waiting.has(id))) return { kind: 'sending' };
  const held = chosen.find(({ segment }) => segment && holders.has(segment.position))?.segment;
  if (held)
    return { kind: 'held', who: holders.get(held.position)?.join(', ') ?? '', number: held.position + 1 };
  if (act === 'translate') return chosen.every(({ isKept }) => isKept) ? undefined : { kind: 'translated' };
  if (act === 'join' && chosen.length < 2) return { kind: 'two' };
  if ((act === 'split' || act === 'order') && chosen.length !== 1) return { kind: 'one' };
  if (chosen.some(({ segment }) => !segment)) return { kind: 'kept' };
  if (act === 'keep') return chosen.every(({ isKept }) => !isKept) ? undefined : { kind: 'kept' };
  if (act === 'split') {
    const [one] = chosen;
    return one && !isDivided(one) && cutsOf(one.text).length === 0 ? { kind: 'word' } : undefined;
  }
  if (act === 'join') {
    const indexes = chosen.map((one) => all.indexOf(one));
    const range = all.slice(Math.min(...indexes), Math.max(...indexes) + 1);
    const between = range.filter(
      (one) => !chosen.includes(one) && !/^(header|footer)$/.test(one.segment?.kind ?? ''),
    );
    if (between.length > 0) return { kind: 'between', texts: between, all: range };
  }
  return undefined;
}

/** Whether a text continues in another column or on another page: it is divided there first. */
export function isDivided({ id }: PageText): boolean {
  return id.includes('_');
}

/** The offsets between the words of a text, at which it can be divided. */
export function cutsOf(text: string): number[] {
  const words = [...text.matchAll(/\S+/g)];
  // Chinese, Japanese and Thai have no spaces between words.
  if (
    words.length < 2 ||
    words.some(([word]) => /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]{8}/u.test(word))
  )
    return [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)]
      .filter(({ index, isWordLike }) => index > 0 && isWordLike)
      .map(({ index }) => index);
  return words.slice(1).map(({ index }) => index);
}

/** The parts of a text between offsets. */
export function partsOf(text: string, at: readonly number[]): string[] {
  return [0, ...at].map((start, index) => text.slice(start, at[index]).trim());
}

/** The source of the text that a join makes. */
export function joined(chosen: readonly PageText[]): string {
  return chosen
    .map(({ text }) => text)
    .join(' ')
    .replace(
      /(\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}) (?=\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana})/gu,
      '$1',
    );
}

/** The number and characters of the texts that an act has translated again. */
export function translatedAgain(
  act: Act,
  chosen: readonly PageText[],
): { count: number; characters: number } {
  const texts =
    act === 'join'
      ? [joined(chosen)]
      : act === 'split' || act === 'translate'
        ? chosen.filter(({ segment }) => act === 'split' || !segment).map(({ text }) => text)
        : [];
  return { count: texts.length, characters: texts.reduce((sum, text) => sum + [...text].length, 0) };
}

/** The fix of an act on texts that needs nothing else. */
export function fixOf(act: 'join' | 'keep' | 'translate', chosen: readonly PageText[]): Fix {
  return { action: act, region_ids: chosen.map(({ id }) => id) };
}
