import { Regex, Replace, Search } from 'lucide-react';
import { type FormEvent, type ReactNode, type RefObject, useEffect, useState } from 'react';
import { useT } from '../i18n.tsx';
import { runCommand } from '../keys/use-commands.ts';
import { useFormat } from '../parts/format.ts';
import { StatusMark } from '../parts/status-mark.tsx';
import styles from './editor.module.css';
import type { RowSource } from './row-source.ts';
import { segmentStatuses } from './segment-filter.ts';
import { DensityButton, PanelButton, ToolButton } from './view-buttons.tsx';

/** Buttons that show only segments of one status, with their numbers, and the search. */
export function StatusFilters({
  source: { outline, filter, onFilter },
  search,
  canReplace = false,
  hasPatterns = false,
  children,
}: {
  source: Pick<RowSource, 'outline' | 'filter' | 'onFilter'>;
  search: RefObject<HTMLInputElement | null>;
  /** Whether translations can be replaced. */
  canReplace?: boolean | undefined;
  /** Whether the search can be a regular expression. */
  hasPatterns?: boolean | undefined;
  /** Further filters. */
  children?: ReactNode;
}) {
  const t = useT();
  const { number } = useFormat();
  const shown = filter.pattern ?? filter.text ?? '';
  const [text, setText] = useState(shown);
  const [isPattern, setPattern] = useState(filter.pattern !== undefined);
  // The browser's Back and Forward change the filter without this form.
  useEffect(() => setText(shown), [shown]);
  const { status: selected, ...others } = filter;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    find(isPattern);
  };
  const find = (asPattern: boolean) => {
    const { text: _, pattern: __, ...rest } = filter;
    const sought = text.trim();
    onFilter({ ...rest, ...(sought !== '' && (asPattern ? { pattern: sought } : { text: sought })) });
  };
  return (
    <div className={styles['filters']}>
      <button type="button" className="chip" aria-pressed={!selected} onClick={() => onFilter(others)}>
        {t('editor.all')} <b>{outline && number(outline.segments)}</b>
      </button>
      {segmentStatuses.map((status) => (
        <button
          key={status}
          type="button"
          className="chip"
          aria-pressed={status === selected}
          onClick={() => onFilter(status === selected ? others : { ...others, status })}
        >
          <StatusMark status={status} size={14} /> {t(`editor.status_${status}`)}{' '}
          <b>{outline && number(outline.statuses[status])}</b>
        </button>
      ))}
      {children}
      <search className={styles['search']}>
        <form onSubmit={submit}>
          <Search size={15} aria-hidden />
          <input
            ref={search}
            type="search"
            aria-label={t('editor.find')}
            placeholder={t('editor.find')}
            maxLength={200}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </form>
      </search>
      {hasPatterns && (
        <ToolButton
          label="editor.expression"
          aria-pressed={isPattern}
          onClick={() => {
            setPattern(!isPattern);
            if (shown !== '') find(!isPattern);
          }}
        >
          <Regex size={16} aria-hidden />
        </ToolButton>
      )}
      {canReplace && (
        <ToolButton label="editor.replace" onClick={() => runCommand('replaceText')}>
          <Replace size={16} aria-hidden />
        </ToolButton>
      )}
      <DensityButton />
      <PanelButton />
    </div>
  );
}
