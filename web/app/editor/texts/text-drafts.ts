import {
  type Draft,
  draftOf,
  dropDraft,
  keepDraft,
  listDrafts,
  readDraft,
  sourceExcerpt,
  textsOf,
} from '../../drafts/drafts.ts';
import { confirmationOf, type Edit, type SegmentSaves } from '../segment-saves.ts';
import { editsClosed } from '../use-leaving.ts';
import { reloadTexts } from './decide-together.ts';
import type { TextList, TextSegment } from './text-list.ts';

/**
 * The unsent edits of texts on this device: those of this visit, and those of earlier visits. Confirmations of earlier
 * visits are sent (`sendConfirmed`); the other edits stay until the reviewer restores or discards them.
 */
export class TextDrafts {
  /** Drafts of earlier visits that the reviewer has not decided about, by job ID. Each change creates another map. */
  #found: ReadonlyMap<string, readonly Draft[]> = new Map();
  readonly #sought = new Set<string>();
  /** The latest drafts of this visit, by job ID; undefined if the service has stored it or the reviewer has dropped it. */
  readonly #kept = new Map<string, Draft | undefined>();
  readonly #listeners = new Set<() => void>();

  readonly found = (): ReadonlyMap<string, readonly Draft[]> => this.#found;

  /** Calls `listener` on each change. @returns a function that unsubscribes */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /**
   * Sends the confirmations of earlier visits, in the order in which they were made, except for a text in which the reviewer
   * has typed since.
   * @returns the number of texts
   */
  async sendConfirmed(list: TextList, saves: SegmentSaves): Promise<number> {
    await editsClosed();
    const drafts = (await listDrafts()).filter(({ item, confirmed }) => item.kind === 'job' && confirmed);
    const ids = drafts.map(({ item }) => item.id);
    await reloadTexts(
      list,
      ids.filter((id) => list.positionOf(id) === undefined),
    );
    let count = 0;
    for (const draft of drafts.reverse()) {
      const { id } = draft.item;
      const position = list.positionOf(id);
      if (position === undefined || saves.all().has(position) || saves.isStopped) continue;
      this.#sought.add(id);
      const { target_text: stored } = list.at(position);
      this.#set(
        id,
        textsOf(draft)
          .slice(1)
          .filter(({ text }) => text !== stored),
      );
      saves.restore(position, draft);
      count += 1;
    }
    return count;
  }

  /** Looks once for drafts of an earlier visit. */
  async find({ id, target_text: stored }: TextSegment): Promise<void> {
    if (this.#sought.has(id)) return;
    this.#sought.add(id);
    const draft = await readDraft({ kind: 'job', id });
    if (!draft) return;
    // A confirmation of the stored text is a decision that the service may not have.
    const other = textsOf(draft).filter((one) => one.text !== stored || (one === draft && one.confirmed));
    if (other.length > 0) {
      this.#set(id, other);
      // The reviewer has already typed: the stored draft was overwritten without those of the earlier visit.
      if (this.#kept.has(id)) this.#store(id, this.#kept.get(id));
    } else void dropDraft({ kind: 'job', id }, draft.changedAt);
  }

  /** Stores an edit on this device; undefined if the service has stored it or the reviewer has dropped it. */
  keep(segment: TextSegment, edit: Edit | undefined): void {
    const { id, version, languages, source_text } = segment;
    const before = this.#kept.get(id);
    const confirmed = edit && confirmationOf(edit);
    const isSame =
      before?.text === edit?.text && JSON.stringify(before?.confirmed) === JSON.stringify(confirmed);
    const draft = edit && {
      text: edit.text,
      base: edit.replaces,
      version,
      language: languages.target,
      source: source_text.slice(0, sourceExcerpt),
      changedAt: before && isSame ? before.changedAt : Date.now(),
      confirmed,
    };
    this.#kept.set(id, draft);
    this.#store(id, draft);
  }

  /** Stores a draft of this visit with those of earlier visits. */
  #store(id: string, draft: Draft | undefined): void {
    const item = { kind: 'job', id } as const;
    const former = draftOf(this.#found.get(id) ?? []);
    if (draft) keepDraft(item, { ...draft, former });
    else if (former) keepDraft(item, former);
    else void dropDraft(item);
  }

  /** Removes a draft that the reviewer has restored or discarded. @param edit the present edit of the text */
  remove(segment: TextSegment, draft: Draft, edit: Edit | undefined): void {
    const left = (this.#found.get(segment.id) ?? []).filter((one) => one !== draft);
    this.#set(segment.id, left);
    this.keep(segment, edit);
  }

  #set(id: string, drafts: readonly Draft[]): void {
    const next = new Map(this.#found);
    if (drafts.length > 0) next.set(id, drafts);
    else next.delete(id);
    this.#found = next;
    for (const listener of this.#listeners) listener();
  }
}
