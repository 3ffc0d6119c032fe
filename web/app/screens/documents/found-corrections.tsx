import { useEffect, useState } from 'react';
import { dropDraft, writeDrafts } from '../../drafts/drafts.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { TextDiff } from '../../parts/text-diff.tsx';
import { type CorrectionStore, useCorrections } from './corrections.ts';
import styles from './documents.module.css';
import { type FoundCorrection, findCorrections } from './kept-corrections.ts';
import type { Languages } from './segment-row.tsx';

/** Corrections that are stored on this device, and that the reviewer has neither restored nor discarded. */
export interface Found {
  found: readonly FoundCorrection[];
  /** Deletes corrections from this list and from the device, after they were restored or discarded. */
  forget(decided: readonly FoundCorrection[]): Promise<void>;
}

/** @param opening the current opening of the document; its own corrections are not offered */
export function useUnappliedCorrections(documentId: string, opening: string): Found {
  const [found, setFound] = useState<readonly FoundCorrection[]>([]);
  const isDecided = found.length === 0;
  useEffect(() => {
    if (!isDecided) return;
    let isLate = false;
    // An error means that the browser cannot store drafts, so there is nothing to offer.
    void findCorrections(documentId, opening).then(
      (more) => !isLate && more.length > 0 && setFound(more),
      () => {},
    );
    return () => {
      isLate = true;
    };
  }, [documentId, opening, isDecided]);

  return {
    found,
    async forget(decided) {
      // Restored corrections are stored for this page before their earlier copies are deleted.
      await writeDrafts();
      await Promise.all(decided.map(({ draft }) => dropDraft(draft.item)));
      setFound((before) => before.filter((one) => !decided.includes(one)));
    },
  };
}

/**
 * Shows stored corrections as differences and offers to restore them. The application restores or sends none
 * automatically.
 */
export function FoundCorrections({
  found,
  forget,
  languages,
  corrections: store,
}: Found & {
  languages: Languages;
  corrections: CorrectionStore;
}) {
  const t = useT();
  const { moment } = useFormat();
  const corrections = useCorrections(store);
  const use = (chosen: readonly FoundCorrection[]) => {
    store.change({ kind: 'restore', corrections: chosen.map(({ correction }) => correction) });
    announce(t('documents.found_used', { count: chosen.length }));
    void forget(chosen);
  };
  const useAll = () => {
    const taken = new Set(store.all().keys());
    // Restores only the latest correction of each segment, and none for a segment in which the reviewer has typed
    // since.
    use(
      found.filter(({ correction: { segment } }) => {
        const isFree = !taken.has(segment.position);
        taken.add(segment.position);
        return isFree;
      }),
    );
  };
  if (found.length === 0) return null;
  return (
    <section className={styles.left} aria-label={t('documents.found_corrections')}>
      <div className={styles.applyActions}>
        <p>{t('documents.found_hint', { count: found.length })}</p>
        <button type="button" className="small" onClick={useAll}>
          {t('documents.use_found', { count: found.length })}
        </button>
        <button type="button" className="plain small" onClick={() => void forget(found)}>
          {t('documents.discard_found', { count: found.length })}
        </button>
      </div>
      <ul className="rows">
        {found.map((one) => {
          const { segment, text, replaces } = one.correction;
          const before = corrections.get(segment.position)?.text ?? segment.target_text ?? '';
          return (
            <li key={one.draft.item.id}>
              <b id={`found-${one.draft.item.id}`}>
                {t('documents.segment_n', { number: segment.position + 1 })}
              </b>{' '}
              <span className={styles.soft}>{moment(new Date(one.draft.changedAt).toISOString())}</span>
              {replaces !== segment.target_text && <p>{t('documents.found_older')}</p>}
              <TextDiff before={before} after={text} language={languages.target} />
              <div className={styles.applyActions}>
                <button
                  type="button"
                  className="small"
                  aria-describedby={`found-${one.draft.item.id}`}
                  onClick={() => use([one])}
                >
                  {t('documents.use_one')}
                </button>
                <button
                  type="button"
                  className="plain small"
                  aria-describedby={`found-${one.draft.item.id}`}
                  onClick={() => void forget([one])}
                >
                  {t('documents.discard_one')}
                </button>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
