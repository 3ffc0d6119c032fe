import { useEffect, useState } from 'react';
import { dropDraft, writeDrafts } from '../drafts/drafts.ts';
import { useT } from '../i18n.tsx';
import { announce } from '../parts/announcer.tsx';
import { useFormat } from '../parts/format.ts';
import { TextDiff } from '../parts/text-diff.tsx';
import styles from './editor.module.css';
import { type FoundEdit, findEdits, type Opening } from './kept-edits.ts';
import type { SegmentSaves } from './segment-saves.ts';
import { plainOf, textsOf } from './tagged-text.ts';

/**
 * Offers edits of earlier visits that are only on this device, such as after a crash. Nothing is restored or sent
 * before the reviewer selects that. If a translation has changed since, restoring its edit shows the conflict.
 */
export function FoundEdits({ opening, saves }: { opening: Opening; saves: SegmentSaves }) {
  const t = useT();
  const { moment } = useFormat();
  const { found, forget } = useEarlierEdits(opening);
  if (found.length === 0) return null;
  const restore = (chosen: readonly FoundEdit[]) => {
    for (const { segment, draft } of chosen) saves.edit(segment.position, draft.text, draft.base);
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

/** The edits of earlier visits, and a function that deletes those about which the reviewer has decided. */
function useEarlierEdits(opening: Opening) {
  const [found, setFound] = useState<readonly FoundEdit[]>([]);
  const isDecided = found.length === 0;
  useEffect(() => {
    if (!isDecided) return;
    const left = new AbortController();
    // An error means that the browser cannot store drafts, so there is nothing to offer.
    void findEdits(opening, left.signal).then(
      (more) => !left.signal.aborted && more.length > 0 && setFound(more),
      () => {},
    );
    return () => left.abort();
  }, [opening, isDecided]);
  return {
    found,
    async forget(decided: readonly FoundEdit[]) {
      // Restored edits are stored for this visit before their earlier copies are deleted.
      await writeDrafts();
      await Promise.all(decided.map(({ draft }) => dropDraft(draft.item)));
      setFound((before) => before.filter((one) => !decided.includes(one)));
    },
  };
}
