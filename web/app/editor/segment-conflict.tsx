import { useT } from '../i18n.tsx';
import { Row, Stack } from '../kit/box.tsx';
import { Card } from '../kit/card.tsx';
import { Text } from '../kit/text.tsx';
import { LanguageText } from '../parts/language-text.tsx';
import { TextDiff } from '../parts/text-diff.tsx';
import styles from './editor.module.css';
import type { PendingEdit, SegmentSaves } from './segment-saves.ts';
import { plainOf } from './tagged-text.ts';

/** Both texts, if someone else changed the translation while the reviewer edited it. Nothing is overwritten unseen. */
export function SegmentConflict({
  position,
  edit,
  saves,
  language,
}: {
  position: number;
  edit: PendingEdit;
  saves: SegmentSaves;
  language: string;
}) {
  const t = useT();
  if (edit.state.kind !== 'conflict') return null;
  const present = edit.state.present === null ? null : plainOf(edit.state.present, null);
  return (
    <div role="gridcell" tabIndex={-1} className={styles['below']}>
      <Card tone="warn" pad={3}>
        <p role="alert">{t('editor.conflict')}</p>
        <Stack as="dl" gap={1}>
          <Text as="dt" tone="faint">
            {t('editor.theirs')}
          </Text>
          <Text as="dd">
            {present === null ? (
              t('editor.untranslated')
            ) : (
              <LanguageText as="div" language={language}>
                {present}
              </LanguageText>
            )}
          </Text>
          <Text as="dt" tone="faint">
            {t('editor.mine')}
          </Text>
          <Text as="dd">
            <TextDiff before={present ?? ''} after={plainOf(edit.text, null)} language={language} />
          </Text>
        </Stack>
        <Row>
          <button type="button" className="small" onClick={() => saves.replacePresent(position)}>
            {t('editor.keep_mine')}
          </button>
          <button type="button" className="small" onClick={() => saves.drop(position)}>
            {t('editor.take_theirs')}
          </button>
        </Row>
      </Card>
    </div>
  );
}
