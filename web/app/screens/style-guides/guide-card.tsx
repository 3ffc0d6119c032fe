import type { ReactNode } from 'react';
import type { StyleGuide } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { LanguageText } from '../../parts/language-text.tsx';
import { Setting } from '../../parts/setting.tsx';
import grid from '../sets/terms.module.css';

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
          <Row gap={1}>
            {(['edit', 'delete'] as const).map((what) => (
              <button key={what} type="button" className="small" onClick={() => onAct(what)}>
                {t(`styleGuides.${what}`)} <span className="visually-hidden">{title}</span>
              </button>
            ))}
          </Row>
        )
      }
      wide
    >
      <Stack as="dl">
        {rules !== '' && (
          <Rule title={t('styleGuides.rules')}>
            <LanguageText as="span" language="auto" className={grid.text}>
              {rules}
            </LanguageText>
          </Rule>
        )}
        {quotation_marks && (
          <Rule title={t('styleGuides.quotation_marks')}>
            <bdi dir="ltr" translate="no">
              {shownMarks(quotation_marks)}
            </bdi>
          </Rule>
        )}
        {spacing && <Rule title={t('styleGuides.spacing')}>{t(`styleGuides.spacing_${spacing}`)}</Rule>}
        {formality && <Rule title={t('styleGuides.formality')}>{t(`styleGuides.${formality}`)}</Rule>}
        {forbidden_words.length > 0 && (
          <Rule title={t('styleGuides.forbidden_words')}>
            <Row as="ul" gap={4} translate="no">
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
            </Row>
          </Rule>
        )}
      </Stack>
    </Setting>
  );
}

function Rule({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Text as="dt" size="sm" weight="medium">
        {title}
      </Text>
      <Text as="dd">{children}</Text>
    </div>
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
