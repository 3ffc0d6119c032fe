import {
  type Draft,
  draftOf,
  dropDraft,
  keepDraft,
  readDraft,
  sourceExcerpt,
  textsOf,
} from '../../drafts/drafts.ts';
import type { Edit } from '../segment-saves.ts';
import type { TextSegment } from './text-list.ts';

/**
 * The unsent edits of texts on this device: those of this visit, and those of earlier visits, which stay until the
 * reviewer restores or discards them.
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

  /** Looks once for drafts of an earlier visit. */
  async find({ id, target_text: stored }: TextSegment): Promise<void> {
    if (this.#sought.has(id)) return;
    this.#sought.add(id);
    const draft = await readDraft({ kind: 'job', id });
    if (!draft) return;
    const other = textsOf(draft).filter(({ text }) => text !== stored);
    if (other.length > 0) {
      this.#set(id, other);
      // The reviewer has already typed: the stored draft was overwritten without those of the earlier visit.
      if (this.#kept.has(id)) this.#store(id, this.#kept.get(id));
    } else void dropDraft({ kind: 'job', id }, draft.changedAt);
  }

  /** Stores an edit on this device; undefined if the service has stored it or the reviewer has dropped it. */
  keep(segment: TextSegment, edit: Edit | undefined): void {
    const { id, version, languages, source_text } = segment;
    const draft = edit && {
      text: edit.text,
      base: edit.replaces,
      version,
      language: languages.target,
      source: source_text.slice(0, sourceExcerpt),
      changedAt: Date.now(),
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
