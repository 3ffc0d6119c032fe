import { Lock } from 'lucide-react';
import { useId, useState } from 'react';
import { useT } from '../i18n.tsx';
import { Row } from '../kit/box.tsx';
import { Check } from '../kit/field.tsx';
import { Text } from '../kit/text.tsx';
import { TextDiff } from '../parts/text-diff.tsx';
import styles from './replace.module.css';
import type { Replacement } from './replacements.ts';

/** Replacements that are in the page at first, and how many more each click shows. */
const step = 50;

/**
 * The changes that a replacement would make, each with a check box, and the reason for each that is left out.
 * @param excluded the positions that the reviewer has excluded
 */
export function ReplacementList({
  replacements,
  excluded,
  onExclude,
  holders,
  language,
  isComplete,
  isSought,
}: {
  replacements: readonly Replacement[];
  excluded: ReadonlySet<number>;
  onExclude: (excluded: ReadonlySet<number>) => void;
  holders: ReadonlyMap<number, readonly string[]>;
  language: string;
  /** Whether the search has ended. */
  isComplete: boolean;
  /** Whether a missing match must be stated. */
  isSought: boolean;
}) {
  const t = useT();
  const [limit, setLimit] = useState(step);
  const selectable = replacements.filter(({ obstacle }) => obstacle === undefined);
  const leftOut = replacements.length - selectable.length;
  const matches = replacements.reduce((sum, one) => sum + one.matches, 0);
  const isAll = selectable.every(({ segment }) => !excluded.has(segment.position));
  const toggle = (position: number, isIncluded: boolean) => {
    const next = new Set(excluded);
    if (isIncluded) next.delete(position);
    else next.add(position);
    onExclude(next);
  };
  return (
    <>
      <Text as="p" size="sm" tone="soft" role="status">
        {replacements.length > 0 && (
          <b>{t('editor.replace_found', { matches, segments: replacements.length })}</b>
        )}{' '}
        {leftOut > 0 && t('editor.replace_left_out', { count: leftOut })}
        {!isComplete && t('common.loading')}
        {isComplete && isSought && replacements.length === 0 && t('editor.replace_none')}
      </Text>
      {selectable.length > 1 && (
        <Check
          label={t('editor.replace_all')}
          isChecked={isAll}
          onChange={() =>
            onExclude(isAll ? new Set(selectable.map(({ segment }) => segment.position)) : new Set())
          }
        />
      )}
      {replacements.length > 0 && (
        <ul className={`rows ${styles['list']}`}>
          {replacements.slice(0, limit).map((one) => (
            <Item
              key={one.segment.position}
              replacement={one}
              isIncluded={!excluded.has(one.segment.position)}
              holders={holders.get(one.segment.position) ?? []}
              language={language}
              onToggle={toggle}
            />
          ))}
        </ul>
      )}
      {replacements.length > limit && (
        <button type="button" className="small" onClick={() => setLimit(limit + step)}>
          {t('common.more')}
        </button>
      )}
    </>
  );
}

function Item({
  replacement: { segment, before, after, obstacle },
  isIncluded,
  holders,
  language,
  onToggle,
}: {
  replacement: Replacement;
  isIncluded: boolean;
  holders: readonly string[];
  language: string;
  onToggle: (position: number, isIncluded: boolean) => void;
}) {
  const t = useT();
  const text = useId();
  const number = segment.position + 1;
  return (
    <Row as="li" isTight gap={3} align="start">
      {obstacle === undefined ? (
        <input
          type="checkbox"
          aria-label={t('editor.replace_segment', { number })}
          aria-describedby={text}
          checked={isIncluded}
          onChange={({ target }) => onToggle(segment.position, target.checked)}
        />
      ) : (
        <Lock size={15} aria-hidden />
      )}
      <Text size="xs" tone="faint">
        {number}
      </Text>
      <div id={text}>
        <TextDiff before={before} after={after} language={language} />
        {obstacle && (
          <Text size="xs" tone="faint">
            {obstacle === 'held'
              ? t('editor.written_by', { name: holders.join(', ') })
              : t(`editor.replace_${obstacle}_why`)}
          </Text>
        )}
      </div>
    </Row>
  );
}
