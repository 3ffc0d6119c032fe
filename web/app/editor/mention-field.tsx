import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useT } from '../i18n.tsx';
import { isComposing } from '../keys/match-key.ts';
import popup from '../kit/popup.module.css';
import { procedures } from '../procedures.ts';
import { queryKeys } from '../query-keys.ts';
import styles from './comments.module.css';
import { insertText } from './insert-text.ts';
import { type Colleague, nameAt } from './mentions.ts';

/** Milliseconds for which a list of colleagues is reused. */
const staleTime = 60_000;

/** Maximum length of a searched name, in characters. */
const maxName = 320;

/**
 * A text field in which `@` lists colleagues: arrow keys select, Enter or Tab inserts the name, Escape closes the list.
 * The field has no role `combobox`, because HTML does not allow it for a field of several lines; its other attributes
 * are those of a combobox.
 */
export function MentionField({
  label,
  text,
  maxLength,
  onText,
  onColleagues,
  onKeyDown,
}: {
  label: string;
  text: string;
  maxLength: number;
  onText: (text: string) => void;
  /** Called with the colleagues that the list shows. */
  onColleagues: (colleagues: readonly Colleague[]) => void;
  /** Called for keys that the list does not use. */
  onKeyDown: (event: KeyboardEvent) => void;
}) {
  const t = useT();
  const list = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  // The place of the caret; undefined without the focus.
  const [caret, setCaret] = useState<number>();
  const [closedAt, setClosedAt] = useState<number>();
  const [selected, setSelected] = useState<string>();
  const typed = caret === undefined ? undefined : nameAt(text, caret);
  const sought = typed && typed.start !== closedAt ? typed.sought.toLowerCase() : undefined;
  const found = useColleagues(sought);
  const current = found.find(({ user_id }) => user_id === selected) ?? found[0];
  const option = ({ user_id }: Colleague) => `${list}-${user_id}`;
  useEffect(() => onColleagues(found), [found, onColleagues]);

  const follow = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement) => {
    const next = selectionStart === selectionEnd ? selectionEnd : undefined;
    setCaret(next);
    if (next === undefined || nameAt(value, next)?.start !== closedAt) setClosedAt(undefined);
  };
  const insert = ({ name }: Colleague) => {
    if (typed && field.current) insertText(field.current, `@${name} `, [typed.start, caret ?? typed.start]);
  };
  const onListKey = (event: KeyboardEvent) => {
    const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
    if (!current || isComposing(event.nativeEvent) || altKey || ctrlKey || metaKey || shiftKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step) setSelected(found.at((found.indexOf(current) + step) % found.length)?.user_id);
    else if (key === 'Enter' || key === 'Tab') insert(current);
    else if (key === 'Escape') setClosedAt(typed?.start);
    else return false;
    return true;
  };

  return (
    <>
      <textarea
        ref={field}
        aria-label={label}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={current && list}
        aria-activedescendant={current && option(current)}
        placeholder={t('editor.comment_hint')}
        dir="auto"
        rows={3}
        maxLength={maxLength}
        value={text}
        onChange={({ target }) => {
          onText(target.value);
          setSelected(undefined);
          follow(target);
        }}
        onSelect={({ currentTarget }) => follow(currentTarget)}
        onBlur={() => setCaret(undefined)}
        onKeyDown={(event) => {
          if (!onListKey(event)) return onKeyDown(event);
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      {current && <ColleagueList id={list} field={field} {...{ found, current, option }} onSelect={insert} />}
      <p role="status" className="visually-hidden">
        {current && t('editor.colleagues_found', { count: found.length })}
      </p>
    </>
  );
}

const none: readonly Colleague[] = [];

/** The colleagues whose names contain a text. Until the service responds, they are found in the last list. */
function useColleagues(sought: string | undefined): readonly Colleague[] {
  const isSought = sought !== undefined && sought.length <= maxName;
  const { data } = useQuery({
    queryKey: queryKeys.members.colleagues(sought ?? ''),
    queryFn: () => procedures.members.colleagues.query({ search: sought }),
    placeholderData: keepPreviousData,
    staleTime,
    enabled: isSought,
  });
  return useMemo(() => {
    if (!isSought || !data) return none;
    return data.colleagues.filter(({ name }) => name.toLowerCase().includes(sought));
  }, [isSought, data, sought]);
}

/** The distance from the field, and the largest height, in CSS pixels. */
const sizes = { gap: 4, most: 240 };

/** A list of colleagues below a field, or above it if there is more room. The field keeps the focus. */
function ColleagueList({
  id,
  field,
  found,
  current,
  option,
  onSelect,
}: {
  id: string;
  field: RefObject<HTMLElement | null>;
  found: readonly Colleague[];
  current: Colleague;
  /** Returns the ID of the element of a colleague. */
  option: (colleague: Colleague) => string;
  onSelect: (colleague: Colleague) => void;
}) {
  const t = useT();
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element || !field.current) return;
    const anchor = field.current;
    const place = () => placeBeside(element, anchor);
    element.showPopover();
    place();
    // Capturing, because the panel scrolls, and not the page.
    addEventListener('scroll', place, { capture: true, passive: true });
    visualViewport?.addEventListener('resize', place);
    return () => {
      removeEventListener('scroll', place, { capture: true });
      visualViewport?.removeEventListener('resize', place);
    };
  }, [field]);
  const currentId = option(current);
  useEffect(() => {
    document.getElementById(currentId)?.scrollIntoView({ block: 'nearest' });
  }, [currentId]);
  return (
    <div
      ref={list}
      id={id}
      popover="manual"
      role="listbox"
      aria-label={t('editor.colleagues')}
      className={`${popup['popup']} ${styles['colleagues']}`}
      // A click must not take the focus from the field.
      onMouseDown={(event) => event.preventDefault()}
    >
      {found.map((colleague) => (
        <div
          key={colleague.user_id}
          id={option(colleague)}
          role="option"
          className={popup['item']}
          aria-selected={colleague === current}
          data-focused={colleague === current || undefined}
          data-focus-visible={colleague === current || undefined}
          onClick={() => onSelect(colleague)}
        >
          <bdi translate="no">{colleague.name}</bdi>
        </div>
      ))}
    </div>
  );
}

/** Places an element below another one, or above it if there is more room. On a phone, the keyboard takes room, too. */
function placeBeside(element: HTMLElement, anchor: HTMLElement): void {
  const { left, top, bottom, width } = anchor.getBoundingClientRect();
  const view = visualViewport ?? { offsetTop: 0, height: innerHeight };
  const room = { above: top - view.offsetTop, below: view.offsetTop + view.height - bottom };
  const isBelow = room.below >= Math.min(sizes.most, element.scrollHeight) || room.below >= room.above;
  const most = Math.min(sizes.most, (isBelow ? room.below : room.above) - 2 * sizes.gap);
  Object.assign(element.style, {
    left: `${left}px`,
    width: `${width}px`,
    maxHeight: `${most}px`,
    top: isBelow ? `${bottom + sizes.gap}px` : 'auto',
    bottom: isBelow ? 'auto' : `${innerHeight - top + sizes.gap}px`,
  });
}
