import { useQueryClient } from '@tanstack/react-query';
import { ConflictError } from '#sdk/status-errors.ts';
import { client } from '../../client.ts';
import { useKeeping } from '../../drafts/drafts.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { allExcept, queryKeys } from '../../query-keys.ts';
import { Conflicts } from './conflicts.tsx';
import { type CorrectionStore, isInConflict, useCorrections } from './corrections.ts';
import styles from './documents.module.css';
import type { Languages } from './segment-row.tsx';
import { readSegments, storeSegments } from './use-segments.ts';

/** Maximum number of corrections in a request. */
const most = 1000;

/**
 * Applies all corrections in one request, so that the file is rendered only once. No correction is lost: a rejected
 * correction stays, and if someone else has changed a translation, the reviewer selects one of the two texts.
 */
export function ApplyCorrections({
  documentId,
  languages,
  corrections: store,
}: {
  documentId: string;
  languages: Languages;
  corrections: CorrectionStore;
}) {
  const t = useT();
  const corrections = useCorrections(store);
  const queries = useQueryClient();
  const isKeeping = useKeeping();
  const { run, error, isBusy } = useAction();
  const conflicts = [...corrections.values()].filter(isInConflict);

  const apply = async () => {
    const sent = [...corrections.values()].slice(0, most);
    try {
      const { segments } = await client.documents.correct({
        document_id: documentId,
        corrections: sent.map(({ segment: { region_id, cell_id }, text, replaces }) => ({
          region_id,
          cell_id,
          target_text: text,
          replaces,
        })),
      });
      store.change({ kind: 'applied', sent });
      storeSegments(queries, documentId, segments);
      announce(t('documents.applied', { count: sent.length }));
      await queries.invalidateQueries(allExcept(queryKeys.documents.all, queryKeys.documents.allFiles));
    } catch (thrown) {
      if (!(thrown instanceof ConflictError)) throw thrown;
      const present = await readSegments(
        documentId,
        sent.map(({ segment }) => segment.position),
      );
      storeSegments(queries, documentId, present);
      store.change({ kind: 'seen', segments: present });
      const found = [...store.all().values()].filter(isInConflict);
      // An error without such conflicts, for example because a review is in progress, is only shown.
      if (found.length === 0) throw thrown;
      announce(t('documents.conflicts', { count: found.length }));
    }
  };
  if (corrections.size === 0) return null;
  return (
    <section className={styles.apply} aria-label={t('documents.corrections')}>
      <div className={styles.applyActions}>
        <button
          type="button"
          className="primary"
          disabled={isBusy || conflicts.length > 0}
          onClick={run(apply)}
        >
          {isBusy ? t('documents.applying') : t('documents.apply', { count: corrections.size })}
        </button>
        <button
          type="button"
          className="plain"
          disabled={isBusy}
          onClick={() => store.change({ kind: 'drop', positions: [...corrections.keys()] })}
        >
          {t('documents.discard')}
        </button>
        <span className={styles.soft}>{t(isKeeping ? 'documents.kept' : 'documents.not_kept')}</span>
        {corrections.size > most && <span className="hint">{t('documents.at_most', { most })}</span>}
      </div>
      {error ? <Problem error={error} /> : null}
      {conflicts.length > 0 && (
        <Conflicts conflicts={conflicts} language={languages.target} onChange={store.change} />
      )}
    </section>
  );
}
