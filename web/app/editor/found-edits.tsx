import { useEffect, useEffectEvent, useState } from 'react';
import { dropDraft, isKeeping, writeDrafts } from '../drafts/drafts.ts';
import { useT } from '../i18n.tsx';
import { announce } from '../parts/announcer.tsx';
import { useFormat } from '../parts/format.ts';
import { TextDiff } from '../parts/text-diff.tsx';
import styles from './editor.module.css';
import { type FoundEdit, findEdits, type Opening } from './kept-edits.ts';
import type { SegmentSaves } from './segment-saves.ts';
import { plainOf, textsOf } from './tagged-text.ts';

/**
 * Sends the confirmations of earlier visits that are only on this device, such as after a crash, and offers the other edits:
 * they are restored and sent when the reviewer selects that. If a translation has changed since, its edit is a conflict.
 */
export function FoundEdits({ opening, saves }: { opening: Opening; saves: SegmentSaves }) {
  const t = useT();
  const { moment } = useFormat();
  const { found, forget } = useEarlierEdits(opening, saves);
  if (found.length === 0) return null;
  const restore = (chosen: readonly FoundEdit[]) => {
    for (const { segment, draft } of chosen) saves.restore(segment.position, draft);
    announce(t('editor.found_restored', { count: chosen.length }));
    void forget(chosen);
  };
  const restoreAll = () => {
    const taken = new Set(saves.all().keys());
    // Only the latest edit of each segment, and none for a segment in which the reviewer has typed since.
    restore(
      found.filter(({ segment }) => {
        const isFree = !taken.has(segment.position);
        taken.add(segment.position);
        return isFree;
      }),
    );
  };
  return (
    <section className={styles['message']} aria-label={t('editor.found_title')}>
      <details>
        <summary>{t('editor.found', { count: found.length })}</summary>
        <ul className="rows">
          {found.map((one) => {
            const { draft, segment } = one;
            const { id } = draft.item;
            return (
              <li key={id}>
                <b id={id}>{t('documents.segment_n', { number: segment.position + 1 })}</b>{' '}
                <span className="hint">{moment(new Date(draft.changedAt).toISOString())}</span>
                {draft.base !== textsOf(segment).target && <p>{t('documents.found_older')}</p>}
                <TextDiff
                  before={segment.target_text ?? ''}
                  after={plainOf(draft.text, segment.source_content)}
                  language={opening.language}
                />
                {found.length > 1 && (
                  <>
                    <button
                      type="button"
                      className="small"
                      aria-describedby={id}
                      onClick={() => restore([one])}
                    >
                      {t('documents.use_one')}
                    </button>{' '}
                    <button
                      type="button"
                      className="ghost small"
                      aria-describedby={id}
                      onClick={() => void forget([one])}
                    >
                      {t('documents.discard_one')}
                    </button>
                  </>
                )}
              </li>
            );
          })}
        </ul>
      </details>
      <button type="button" className="small" onClick={restoreAll}>
        {t('documents.use_found', { count: found.length })}
      </button>
      <button type="button" className="ghost small" onClick={() => void forget(found)}>
        {t('documents.discard_found', { count: found.length })}
      </button>
    </section>
  );
}

/**
 * The edits of earlier visits, and a function that deletes those about which the reviewer has decided. The reviewer has
 * decided about confirmations: they are sent, except for a segment in which the reviewer has typed since.
 */
function useEarlierEdits(opening: Opening, saves: SegmentSaves) {
  const t = useT();
  const [found, setFound] = useState<readonly FoundEdit[]>([]);
  const isDecided = found.length === 0;
  const send = useEffectEvent(async (edits: readonly FoundEdit[]) => {
    const { typed = [], sent = [] } = Object.groupBy(edits, ({ segment }) =>
      saves.all().has(segment.position) ? 'typed' : 'sent',
    );
    setFound((before) => [...before, ...typed]);
    for (const { segment, draft } of sent) saves.restore(segment.position, draft);
    await writeDrafts();
    // If the disk is full, the earlier copies stay.
    if (isKeeping()) await forgetEarlier(sent);
    if (sent.length > 0) announce(t('editor.found_sent', { count: sent.length }));
  });
  useEffect(() => {
    const left = new AbortController();
    const except = new Set<string>();
    const next = async (): Promise<void> => {
      const decisions = await findEdits(opening, { areDecisions: true, except, signal: left.signal });
      if (left.signal.aborted || decisions.length === 0) return;
      for (const { draft } of decisions) except.add(draft.item.id);
      await send(decisions);
      await next();
    };
    // An error means that the browser cannot store drafts, so no edit is kept.
    next().catch(() => {});
    return () => left.abort();
  }, [opening]);
  useEffect(() => {
    if (!isDecided) return;
    const left = new AbortController();
    // An error means that the browser cannot store drafts, so there is nothing to offer.
    void findEdits(opening, { areDecisions: false, signal: left.signal }).then(
      (more) => !left.signal.aborted && more.length > 0 && setFound((before) => [...before, ...more]),
      () => {},
    );
    return () => left.abort();
  }, [opening, isDecided]);
  return {
    found,
    async forget(decided: readonly FoundEdit[]) {
      await forgetEarlier(decided);
      setFound((before) => before.filter((one) => !decided.includes(one)));
    },
  };
}

/** Deletes the copies of edits of earlier visits. Restored edits are stored for this visit before that. */
async function forgetEarlier(edits: readonly FoundEdit[]): Promise<void> {
  await writeDrafts();
  await Promise.all(edits.map(({ draft }) => dropDraft(draft.item)));
}
