import type { StyleGuide } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { Setting } from '../../parts/setting.tsx';
import styles from './style-guides.module.css';

/**
 * A style guide with the rules that it sets.
 * @param onAct opens the dialog of an action; undefined for members who cannot change the guide
 */
export function GuideCard({
  guide,
  title,
  onAct,
}: {
  guide: StyleGuide;
  title: string;
  onAct?: ((what: 'edit' | 'delete') => void) | undefined;
}) {
  const t = useT();
  const format = useFormat();
  const { rules, quotation_marks, spacing, formality, forbidden_words, updated_at, updated_by } = guide;
  const when = format.moment(updated_at);
  return (
    <Setting
      id={`guide-${guide.target_lang ?? 'all'}`}
      title={title}
      why={
        updated_by === null
          ? t('styleGuides.saved_at', { when })
          : t('styleGuides.saved_by', { when, who: updated_by })
      }
      action={
        onAct && (
          <div className={styles['acts']}>
            {(['edit', 'delete'] as const).map((what) => (
              <button key={what} type="button" className="small" onClick={() => onAct(what)}>
                {t(`styleGuides.${what}`)} <span className="visually-hidden">{title}</span>
              </button>
            ))}
          </div>
        )
      }
      wide
    >
      <dl className={styles['rules']}>
        {rules !== '' && (
          <div>
            <dt>{t('styleGuides.rules')}</dt>
            <dd dir="auto" className={styles['text']} translate="no">
              {rules}
            </dd>
          </div>
        )}
        {quotation_marks && (
          <div>
            <dt>{t('styleGuides.quotation_marks')}</dt>
            <dd>
              <bdi dir="ltr" translate="no">
                {shownMarks(quotation_marks)}
              </bdi>
            </dd>
          </div>
        )}
        {spacing && (
          <div>
            <dt>{t('styleGuides.spacing')}</dt>
            <dd>{t(`styleGuides.spacing_${spacing}`)}</dd>
          </div>
        )}
        {formality && (
          <div>
            <dt>{t('styleGuides.formality')}</dt>
            <dd>{t(`styleGuides.${formality}`)}</dd>
          </div>
        )}
        {forbidden_words.length > 0 && (
          <div>
            <dt>{t('styleGuides.forbidden_words')}</dt>
            <dd>
              <ul className={styles['words']} translate="no">
                {forbidden_words.map(({ term, use_instead }) => (
                  <li key={term}>
                    <bdi>{term}</bdi>
                    {use_instead !== null && (
                      <>
                        {' = '}
                        <bdi>{use_instead}</bdi>
                      </>
                    )}
                  </li>
                ))}
              </ul>
            </dd>
          </div>
        )}
      </dl>
    </Setting>
  );
}

/** The pairs of quotation marks that a guide can require. A pair that the service accepts and that is missing here fails to compile. */
const pairs: Record<NonNullable<StyleGuide['quotation_marks']>, true> = {
  '“”': true,
  '„“': true,
  '«»': true,
  '»«': true,
  '„”': true,
  '””': true,
  '‘’': true,
  '「」': true,
  '""': true,
};

export const quotationMarks = Object.keys(pairs) as (keyof typeof pairs)[];

/** Returns a pair with an ellipsis between its marks. */
export function shownMarks(pair: string): string {
  return [...pair].join('…');
}
