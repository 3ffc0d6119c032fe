import type { TranslationJob } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import { TextDiff } from '../../parts/text-diff.tsx';
import { isReviewable, itemOfJob, lastReview, type Seen } from './items.ts';
import styles from './review.module.css';

/**
 * Shown if someone else changed the job while the reviewer worked on it: the other member's text, the reviewer's text,
 * and the text from before. The reviewer selects one of them; nothing is overwritten.
 * @param base the item from before; without its translation if the reviewer had only seen an excerpt
 * @param mine the reviewer's text
 * @param onChoose called with the selected text, which becomes a change of the current job
 * @param onGiveUp leaves a job that can no longer be reviewed
 */
export function Conflict({
  base,
  mine,
  present,
  onChoose,
  onGiveUp,
}: {
  base: Seen;
  mine: string;
  present: TranslationJob;
  onChoose: (text: string) => void;
  onGiveUp: () => void;
}) {
  const t = useT();
  const theirs = itemOfJob(present);
  const who = lastReview(present)?.actor ?? '';
  const isOpen = isReviewable(present);
  const before = base.target;
  const wrote = mine !== (before ?? theirs.target);
  const language = theirs.targetLang;
  return (
    <section className={styles.conflict} aria-labelledby="conflict">
      <h3 id="conflict">{isOpen ? t('review.changed_by', { who }) : t('review.closed_by', { who })}</h3>
      <p>{isOpen ? t('review.choose') : t('review.closed_hint')}</p>
      <dl>
        {before !== undefined && (
          <>
            <dt>{t('review.base')}</dt>
            <dd>
              <LanguageText language={language}>{before}</LanguageText>
            </dd>
          </>
        )}
        <dt>{t('review.theirs')}</dt>
        <dd>
          <TextDiff before={before ?? theirs.target} after={theirs.target} language={language} />
        </dd>
        {wrote && (
          <>
            <dt>{t('review.mine')}</dt>
            <dd>
              <TextDiff before={before ?? theirs.target} after={mine} language={language} />
            </dd>
          </>
        )}
      </dl>
      <div className="actions">
        {isOpen && wrote && (
          <button type="button" onClick={() => onChoose(mine)}>
            {t('review.go_on_with_mine')}
          </button>
        )}
        {isOpen && (
          <button type="button" onClick={() => onChoose(theirs.target)}>
            {t('review.go_on_with_theirs')}
          </button>
        )}
        {!isOpen && (
          <button type="button" onClick={onGiveUp}>
            {wrote ? t('review.give_up_mine') : t('review.next')}
          </button>
        )}
      </div>
    </section>
  );
}
