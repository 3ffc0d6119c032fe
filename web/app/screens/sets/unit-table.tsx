import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { MemoryUnit } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { LanguageText } from '../../parts/language-text.tsx';
import { StackedTable } from '../../parts/stacked-table.tsx';
import type { SearchedSide } from './search.ts';
import styles from './sets.module.css';

/** Part of a text, as UTF-16 offsets. */
interface Span {
  start: number;
  end: number;
}

/**
 * Shows segments of TMs with source and translation side by side.
 * @param marked the side in which the `spans` of each segment are marked; undefined if the segments have no spans
 * @param withSet whether the TM of each segment is shown
 */
export function UnitTable({
  units,
  marked,
  withSet = false,
}: {
  units: readonly (MemoryUnit & { spans?: readonly Span[] })[];
  marked?: SearchedSide;
  withSet?: boolean;
}) {
  const t = useT();
  const { day } = useFormat();
  return (
    <StackedTable
      columns={[t('sets.source'), t('sets.target'), t(withSet ? 'sets.from_set' : 'sets.changed')]}
      className={styles.texts}
    >
      {units.map((unit) => {
        const spans = (side: SearchedSide) => (side === marked ? unit.spans : undefined);
        return (
          <tr key={`${unit.set_id} ${unit.unit_no}`}>
            <td>
              <LanguageText as="span" language={unit.source_lang} className={styles.text}>
                {markSpans(unit.source_text, spans('source'))}
              </LanguageText>
            </td>
            <td>
              <LanguageText as="span" language={unit.target_lang} className={styles.text}>
                {markSpans(unit.target_text, spans('target'))}
              </LanguageText>
            </td>
            <td className={styles.soft}>
              {withSet && (
                <>
                  <Link to="/app/memories/$setId" params={{ setId: unit.set_id }}>
                    <bdi translate="no">{unit.set_name}</bdi>
                  </Link>
                  <br />
                </>
              )}
              <time dateTime={unit.changed_at}>{day(unit.changed_at)}</time>
            </td>
          </tr>
        );
      })}
    </StackedTable>
  );
}

/** Marks parts of a text. The spans must be in order and must not overlap. */
export function markSpans(text: string, spans: readonly Span[] = []): ReactNode {
  return [
    ...spans.flatMap(({ start, end }, index) => [
      text.slice(spans[index - 1]?.end ?? 0, start),
      <mark key={start}>{text.slice(start, end)}</mark>,
    ]),
    text.slice(spans.at(-1)?.end ?? 0),
  ];
}
