import type { Draft } from '../../drafts/drafts.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { TextDiff } from '../../parts/text-diff.tsx';
import styles from '../editor.module.css';
import type { SegmentSaves } from '../segment-saves.ts';
import type { TextDrafts } from './text-drafts.ts';
import type { TextSegment } from './text-list.ts';

/** Shows edits of an earlier visit as differences, and offers to restore them. None is restored automatically. */
export function FoundDrafts({
  segment,
  found,
  drafts,
  saves,
}: {
  segment: TextSegment;
  found: readonly Draft[];
  drafts: TextDrafts;
  saves: SegmentSaves;
}) {
  const t = useT();
  const { moment } = useFormat();
  const { position, target_text: stored, languages, confirmed_at: decidedAt } = segment;
  const remove = (draft: Draft) => drafts.remove(segment, draft, saves.all().get(position));
  return found.map((draft) => (
    <div key={draft.changedAt} role="gridcell" tabIndex={-1} className={styles['conflict']}>
      <section data-found aria-label={t('review.found_draft')}>
        <p>{t('review.found_draft_of', { when: moment(new Date(draft.changedAt).toISOString()) })}</p>
        {draft.base !== stored && <p>{t('review.found_draft_older')}</p>}
        <TextDiff before={stored ?? ''} after={draft.text} language={languages.target} />
        <div className="actions">
          {decidedAt === null && (
            <button
              type="button"
              className="small"
              onClick={() => {
                // The text is restored before the draft is removed, so that it is always stored somewhere.
                saves.edit(position, draft.text, stored);
                remove(draft);
              }}
            >
              {t('review.use_draft')}
            </button>
          )}
          <button type="button" className="small" onClick={() => remove(draft)}>
            {t('review.discard_draft')}
          </button>
        </div>
      </section>
    </div>
  ));
}
