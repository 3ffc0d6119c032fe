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
 * Unapplied corrections are stored as drafts on this device. Each tab stores its own drafts. Two tabs with the same
 * document therefore never overwrite each other's drafts, and the drafts of an open tab are not offered in another tab.
 */

/** Identifies this page, until the page is closed, crashes, or is reloaded. */
const ownPage = crypto.randomUUID();
const lockOf = (page: string) => `lingualoop-corrections-${page}`;
// The page holds this lock until it ends; the browser then releases the lock in any case.
void navigator.locks.request(lockOf(ownPage), () => new Promise(() => {}));

/**
 * The number of times that this page has opened a document. Drafts of an earlier opening are offered in the same way as
 * drafts of an earlier page.
 */
let openings = 0;

/** Returns an ID for the drafts that belong to one opening of a document. */
export function nextOpening(): string {
  openings += 1;
  return `${ownPage}/${openings}`;
}

/** Settles when all edits were sent whose document was closed on this page. */
let closing: Promise<unknown> = Promise.resolve();

/** Edits of a closed document are not offered while they are still being sent. */
export function offerAfter(sending: Promise<unknown>): void {
  closing = Promise.allSettled([closing, sending]);
}

/** Stores the changed corrections on this device. */
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

/** A stored correction together with the current state of its segment. */
export interface FoundCorrection {
  draft: StoredDraft;
  correction: Correction;
}

/**
 * Maximum number of corrections that are offered at the same time. When the reviewer has decided about these, the next
 * ones are offered.
 */
const maxOffered = 50;

/**
 * Returns the member's stored corrections of a document, the latest first. Deletes stored corrections whose text is
 * already in the document.
 */
export async function findCorrections(documentId: string, opening: string): Promise<FoundCorrection[]> {
  await closing;
  const left = await draftsOf(documentId, opening);
  const found: FoundCorrection[] = [];
  while (found.length === 0 && left.length > 0) {
    const drafts = left.splice(0, maxOffered);
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

/** Deletes all corrections of a deleted document. */
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
