import {
  type DraftItem,
  dropDraft,
  keepDraft,
  listDrafts,
  type StoredDraft,
  sourceExcerpt,
} from '../../drafts/drafts.ts';
import type { Correction, Corrections } from './corrections.ts';
import { readSegments } from './use-segments.ts';

/*
 * Corrections that are not applied yet are drafts on this device. Each tab has drafts of its own, so that two tabs with the same
 * document never overwrite each other's, and what an open tab holds is not offered in another one.
 */

/** This page, until it is closed, crashes, or is loaded anew. */
const ownPage = crypto.randomUUID();
const lockOf = (page: string) => `lingualoop-corrections-${page}`;
// The browser frees it however the page ends.
void navigator.locks.request(lockOf(ownPage), () => new Promise(() => {}));

/** How often a document was opened in this page: what was left before is offered like that of an earlier page. */
let openings = 0;

/** Names what is kept while a document is open once. */
export function nextOpening(): string {
  openings += 1;
  return `${ownPage}/${openings}`;
}

/** Keeps on this device what has changed. */
export function keepChanges(
  { documentId, opening, language }: { documentId: string; opening: string; language: string },
  before: Corrections,
  after: Corrections,
): void {
  const itemOf = (position: number): DraftItem => ({
    kind: 'segment',
    id: `${documentId}/${position}/${opening}`,
  });
  for (const position of before.keys()) if (!after.has(position)) void dropDraft(itemOf(position));
  for (const [position, correction] of after) {
    if (before.get(position) === correction) continue;
    const { segment, text, replaces } = correction;
    keepDraft(itemOf(position), {
      text,
      base: replaces,
      language,
      source: segment.source_text.slice(0, sourceExcerpt),
      changedAt: Date.now(),
    });
  }
}

/** A correction that was kept, with the segment as it is now. */
export interface FoundCorrection {
  draft: StoredDraft;
  correction: Correction;
}

/** How many are offered at once; the others when these are decided. */
const mostOffered = 50;

/** Corrections of a document that the signed-in person left, newest first. What stands in the document meanwhile is forgotten. */
export async function findCorrections(documentId: string, opening: string): Promise<FoundCorrection[]> {
  const left = await draftsOf(documentId, opening);
  const found: FoundCorrection[] = [];
  while (found.length === 0 && left.length > 0) {
    const drafts = left.splice(0, mostOffered);
    const segments = await readSegments(
      documentId,
      drafts.map(({ item }) => placeOf(item).position),
    );
    const present = new Map(segments.map((segment) => [segment.position, segment]));
    for (const draft of drafts) {
      const segment = present.get(placeOf(draft.item).position);
      if (!segment || segment.target_text === draft.text) await dropDraft(draft.item);
      else found.push({ draft, correction: { segment, text: draft.text, replaces: draft.base } });
    }
  }
  return found;
}

/** Forgets all corrections of a document that is no more. */
export async function forgetCorrections(documentId: string): Promise<void> {
  const drafts = (await listDrafts()).filter(({ item }) => isOf(documentId, item));
  await Promise.all(drafts.map(({ item }) => dropDraft(item)));
}

async function draftsOf(documentId: string, opening: string): Promise<StoredDraft[]> {
  const { held = [] } = await navigator.locks.query();
  const isOpenElsewhere = (page: string) =>
    page !== ownPage && held.some(({ name }) => name === lockOf(page));
  return (await listDrafts()).filter(({ item }) => {
    if (!isOf(documentId, item)) return false;
    const place = placeOf(item);
    return place.opening !== opening && !isOpenElsewhere(place.page);
  });
}

function isOf(documentId: string, { kind, id }: DraftItem): boolean {
  return kind === 'segment' && id.startsWith(`${documentId}/`);
}

function placeOf({ id }: DraftItem) {
  const [, position, page = '', count] = id.split('/');
  return { position: Number(position), page, opening: `${page}/${count}` };
}
