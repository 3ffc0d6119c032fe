import type { Draft } from '../../drafts/drafts.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { TextDiff } from '../../parts/text-diff.tsx';
import styles from './review.module.css';
import type { Editing } from './use-editing.ts';

/**
 * Shows unsent changes as differences, and offers to restore them. The application restores none automatically.
 * @param isOpen whether the field can be edited
 */
export function FoundDrafts({ editing, isOpen }: { editing: Editing; isOpen: boolean }) {
  return editing.found.map((draft) => (
    <FoundDraft key={draft.changedAt} draft={draft} editing={editing} isOpen={isOpen} />
  ));
}

function FoundDraft({ draft, editing, isOpen }: { draft: Draft; editing: Editing; isOpen: boolean }) {
  const t = useT();
  const { moment } = useFormat();
  const { base } = editing;
  return (
    <section data-found className={styles.draft} aria-label={t('review.found_draft')}>
      <p>{t('review.found_draft_of', { when: moment(new Date(draft.changedAt).toISOString()) })}</p>
      {draft.base !== base.target && <p>{t('review.found_draft_older')}</p>}
      <TextDiff before={base.target} after={draft.text} language={base.targetLang} />
      <div className="actions">
        {isOpen && (
          <button
            type="button"
            onClick={() => {
              // The text is inserted before the draft is discarded, so that it is always stored somewhere.
              editing.insert(draft.text, 'all');
              editing.discard(draft);
            }}
          >
            {t('review.use_draft')}
          </button>
        )}
        <button type="button" onClick={() => editing.discard(draft)}>
          {t('review.discard_draft')}
        </button>
      </div>
    </section>
  );
}
