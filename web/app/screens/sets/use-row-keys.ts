import { type KeyboardEvent, useRef, useState } from 'react';
import { useAction } from '../../parts/use-action.ts';

/** The properties of a row, and whether it is the one that the Tab key reaches. */
export interface GridRow {
  isActive: boolean;
  props: {
    'data-row': number;
    tabIndex: 0 | -1;
    onFocus: () => void;
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  };
}

/** Moves the focus between the rows of a grid with the arrow keys, Home and End. The grid has one tab stop. */
export function useRowKeys() {
  const grid = useRef<HTMLTableElement>(null);
  const [active, setActive] = useState(0);
  const rows = () => [...(grid.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
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
    /** Moves the focus to a row, after the changed rows are shown. */
    focusRow(place: number) {
      setActive(Math.max(0, place));
      setTimeout(() => rows().at(Math.max(0, place))?.focus());
    },
    row: (place: number): GridRow => ({
      isActive: place === active,
      props: {
        'data-row': place,
        tabIndex: place === active ? 0 : -1,
        onFocus: () => setActive(place),
        onKeyDown: move,
      },
    }),
  };
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
    buttonProps: { type: 'button' as const, className: 'ghost small', disabled: isBusy, tabIndex },
    remove,
    error,
  };
}
