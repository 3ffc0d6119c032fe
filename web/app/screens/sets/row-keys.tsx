import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { isComposing } from '../../keys/match-key.ts';
import { useAction } from '../../parts/use-action.ts';

/** The properties of a row, and whether it is the one that the Tab key reaches. */
export interface GridRow {
  isActive: boolean;
  props: {
    'data-row': number;
    tabIndex: 0 | -1;
    onBlur: () => void;
    onFocus: (event: { currentTarget: Element }) => void;
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  };
}

/**
 * Moves the focus between the rows of a grid with the arrow keys, Home and End. The grid has one tab stop. If the row with
 * the focus is removed, the row in its place gets the focus.
 */
export function useRowKeys() {
  const grid = useRef<HTMLTableElement>(null);
  const [active, setActive] = useState(0);
  // React sends no blur event for a row that it removes.
  const focused = useRef<Element>(null);
  const rows = () => [...(grid.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
  useEffect(() => {
    if (focused.current?.isConnected !== false || document.activeElement !== document.body) return;
    const all = rows();
    all[Math.min(active, all.length - 1)]?.focus();
  });
  const move = (event: KeyboardEvent<HTMLElement>) => {
    if (event.target !== event.currentTarget) return;
    const all = rows();
    const place = all.indexOf(event.currentTarget);
    const next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: all.length - 1 }[event.key];
    if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    all[next]?.focus();
  };
  return {
    grid,
    row: (place: number): GridRow => ({
      isActive: place === active,
      props: {
        'data-row': place,
        tabIndex: place === active ? 0 : -1,
        onBlur: () => {
          focused.current = null;
        },
        onFocus: ({ currentTarget }) => {
          focused.current = currentTarget;
          setActive(place);
        },
        onKeyDown: move,
      },
    }),
  };
}

/** How the fields of a row close. */
export interface RowEditing {
  /** Whether the fields have changes. */
  isChanged: RefObject<boolean>;
  /** For the row: Escape closes the fields, and asks first if they have changes. */
  onKeyDown: (event: KeyboardEvent) => void;
  close: () => void;
}

/** The row of a grid that is edited, by its key. Before changes are lost, the member is asked. */
export function useEditedRow<Key extends string | number>() {
  const t = useT();
  const [edited, setEdited] = useState<Key>();
  const isChanged = useRef(false);
  const edit = (next?: Key) => {
    if (isChanged.current && !window.confirm(t('sets.discard_question'))) return;
    setEdited(next);
  };
  const editing = (key: Key): RowEditing => ({
    isChanged,
    onKeyDown: ({ key, nativeEvent }) => key === 'Escape' && !isComposing(nativeEvent) && edit(),
    // While the row was saved, the member may have opened another one.
    close: () => setEdited((now) => (now === key ? undefined : now)),
  });
  return { edited, edit, editing };
}

/** Puts the focus into the fields of a row, and remembers whether they have changes. */
export function useRowFields(
  first: RefObject<HTMLElement | null>,
  { isChanged: ref }: RowEditing,
  isChanged: boolean,
): void {
  useEffect(() => first.current?.focus(), [first]);
  useEffect(() => {
    ref.current = isChanged;
    return () => {
      ref.current = false;
    };
  }, [ref, isChanged]);
}

/**
 * Edits the item of a row with Enter, F2 or a double click, and deletes it with the Delete key.
 * @returns the properties of the row and of its buttons; the action that deletes the item, and its error
 */
export function useRowActions(
  { isActive, props }: GridRow,
  onEdit: () => void,
  onDelete: () => Promise<void>,
) {
  const { run, error, isBusy } = useAction();
  const remove = run(onDelete);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    props.onKeyDown(event);
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter' || event.key === 'F2') {
      event.preventDefault();
      onEdit();
    }
    // A held key deletes only one item.
    if (event.key === 'Delete' && !event.repeat) void remove();
  };
  const tabIndex = isActive ? 0 : -1;
  return {
    rowProps: { ...props, onKeyDown, onDoubleClick: onEdit },
    buttonProps: { type: 'button' as const, className: 'ghost small', 'aria-disabled': isBusy, tabIndex },
    remove,
    error,
  };
}
