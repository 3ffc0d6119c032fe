import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { TranslationJob } from '#sdk/types.ts';
import { actOnJob } from '../../client.ts';
import {
  type Draft,
  draftOf,
  dropDraft,
  keepDraft,
  readDraft,
  sourceExcerpt,
  textsOf,
} from '../../drafts/drafts.ts';
import { queryClient } from '../../query-client.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Saved, Sent } from './decision.ts';
import { readJob } from './deliver-review.ts';
import { type Item, isNewer, isReviewable } from './items.ts';
import { useOutbox } from './outbox-provider.tsx';

/** The state of the text: nothing to save, saved on this device, or saved on the server. */
export type SaveState =
  | { kind: 'unchanged' }
  | { kind: 'kept' }
  | { kind: 'saving' }
  | { kind: 'saved'; at: Date }
  | { kind: 'unsaved'; error: unknown };

/** The text field of the open item: an uncontrolled textarea, so that the browser's undo works. */
export interface Editing {
  /** The item on which the text in the field is based. */
  base: Item;
  text: string;
  /** Whether the reviewer has changed the text. An inserted match does not count until something is typed. */
  isEdited: boolean;
  state: SaveState;
  /** Drafts found on this device, the latest first. */
  found: readonly Draft[];
  /** A new value mounts a new textarea with `initial`. */
  generation: number;
  initial: string;
  /** Whether the new textarea gets the focus; undefined for the first one. */
  hasFocus: boolean | undefined;
  field: React.RefObject<HTMLTextAreaElement | null>;
  onInput(): void;
  /** Replaces the whole text or inserts at the caret; the browser's undo reverts it. */
  insert(text: string, as: 'match' | 'all' | 'at_caret'): void;
  /** Saves the text as a draft on the server and stays. */
  save(): Promise<void>;
  /** The item's state after the running save. */
  saving(): Promise<Saved> | undefined;
  /** Restarts with another version of the item; the focus stays, unless it should move to the field. */
  restart(base: Item, text: string, to?: 'field'): void;
  /** Discards a found draft. */
  discard(draft: Draft): void;
}

/**
 * @param item the item in its current state on the server
 * @param back its review that was not saved
 */
export function useEditing(item: Item, back: Sent | undefined): Editing {
  const outbox = useOutbox();
  // A review that was not saved keeps the version that the reviewer saw: a later one could contain unseen changes.
  const [base, setBase] = useState<Item>({ ...item, ...back?.item });
  const [text, setText] = useState(back?.text ?? base.target);
  const [start, setStart] = useState({
    generation: 0,
    initial: text,
    hasFocus: undefined as boolean | undefined,
  });
  const [state, setState] = useState<SaveState>({ kind: 'unchanged' });
  const [found, setFound] = useState<readonly Draft[]>([]);
  /** `found` without waiting for a render: the text is stored together with undecided drafts. */
  const undecided = useRef<readonly Draft[]>([]);
  const field = useRef<HTMLTextAreaElement>(null);
  const inserted = useRef<string>(undefined);
  const saving = useRef<Promise<Saved>>(undefined);
  /** `base` without waiting for a render: a second save may come first. */
  const version = useRef(base.version);
  const isEdited = text !== base.target && text !== inserted.current;
  const draftItem = { kind: 'job', id: item.id } as const;

  const offer = (texts: readonly Draft[]) => {
    undecided.current = texts;
    setFound(texts);
  };
  const onFound = useEffectEvent((draft: Draft) => {
    const texts = textsOf(draft).filter((one) => one.text !== item.target);
    if (texts.length === 0) return void dropDraft(draftItem, draft.changedAt);
    offer(texts);
    // Text typed in between replaces it.
    const typed = field.current?.value ?? base.target;
    if (typed !== base.target) keep(typed);
  });
  const [isRestored] = useState(back?.text !== undefined);
  useEffect(() => {
    // The text of a rejected review is already in the field.
    if (isRestored) return;
    let isShown = true;
    readDraft({ kind: 'job', id: item.id }).then(
      (draft) => {
        if (isShown && draft) onFound(draft);
      },
      // The member has signed out, or the browser has no storage, which the screen shows when something is typed.
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [item.id, isRestored]);

  const rebase = useCallback((next: Item) => {
    version.current = next.version;
    setBase(next);
  }, []);
  const restart = useCallback(
    (next: Item, nextText: string, to?: 'field') => {
      rebase(next);
      setText(nextText);
      const hasFocus = to === 'field' || document.activeElement === field.current;
      setStart(({ generation }) => ({ generation: generation + 1, initial: nextText, hasFocus }));
    },
    [rebase],
  );

  useEffect(() => {
    // An edited text, or one that was not saved, is never replaced: the screen shows the change, and the reviewer decides.
    if (!isNewer(item, base) || saving.current || isEdited || back) return;
    if (item.target === base.target) rebase(item);
    else restart(item, item.target);
  }, [item, base, isEdited, back, rebase, restart]);

  const keep = (value: string) => {
    if (value === base.target) {
      // Undecided drafts stay.
      const left = draftOf(undecided.current);
      if (left) keepDraft(draftItem, left);
      else void dropDraft(draftItem);
      setState({ kind: 'unchanged' });
      return;
    }
    // Text typed before the match was inserted stays on this device.
    if (value === inserted.current) return;
    const draft = {
      text: value,
      base: base.target,
      version: base.version,
      language: base.targetLang,
      source: base.source.slice(0, sourceExcerpt),
      changedAt: Date.now(),
    };
    keepDraft(draftItem, { ...draft, former: draftOf(undecided.current) });
    setState({ kind: 'kept' });
  };

  const saveText = async (value: string): Promise<Saved> => {
    const job = await saveDraft(item.id, version.current, value);
    const saved = { version: job.updated_at, target: value };
    version.current = saved.version;
    setBase((before) => ({ ...before, ...saved }));
    // The server has the text that was not saved before.
    outbox.takeBack(item.id);
    return saved;
  };

  return {
    base,
    text,
    isEdited,
    state,
    found,
    field,
    ...start,
    onInput() {
      const value = field.current?.value ?? '';
      setText(value);
      keep(value);
    },
    insert(value, as) {
      const element = field.current;
      if (!element) return;
      if (as === 'match') inserted.current = value;
      element.focus();
      if (as !== 'at_caret') element.select();
      // Unlike an assignment, this can be undone in the field.
      if (value === '') document.execCommand('delete');
      else document.execCommand('insertText', false, value);
    },
    async save() {
      const value = field.current?.value ?? text;
      if (value.trim() === '') return;
      const pressedAt = Date.now();
      setState({ kind: 'saving' });
      // One after the other: each applies to the version of the previous one.
      const before = saving.current?.catch(() => undefined);
      const sending = before ? before.then(() => saveText(value)) : saveText(value);
      saving.current = sending;
      try {
        await sending;
        if (saving.current === sending && field.current?.value === value)
          setState({ kind: 'saved', at: new Date() });
        if (undecided.current.length === 0) await dropDraft(draftItem, pressedAt);
      } catch (error) {
        setState({ kind: 'unsaved', error });
        throw error;
      } finally {
        if (saving.current === sending) saving.current = undefined;
      }
    },
    saving: () => saving.current,
    restart,
    discard(draft) {
      offer(undecided.current.filter((one) => one !== draft));
      const value = field.current?.value ?? text;
      keep(value === inserted.current ? base.target : value);
    },
  };
}

/** Saves a draft on the server, for the version that the reviewer saw. */
async function saveDraft(id: string, version: string, text: string): Promise<TranslationJob> {
  const review = { job_id: id, action: 'save' as const, updated_at: version, final_translation: text };
  try {
    const job = await actOnJob(review);
    queryClient.setQueryData(queryKeys.jobs.job(id), job);
    return job;
  } catch (error) {
    if (!(error instanceof LinguaLoopError) || error.status !== 409) throw error;
    // The response to the first request may have been lost.
    const present = await readJob(id);
    if (present.final_translation !== text || !isReviewable(present)) throw error;
    return present;
  }
}
