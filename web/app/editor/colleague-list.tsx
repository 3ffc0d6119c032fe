import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { useT } from '../i18n.tsx';
import styles from './comments.module.css';
import type { Colleague } from './mentions.ts';

/** The distance from the field, and the largest height, in CSS pixels. */
const sizes = { gap: 4, most: 240 };

/** A list of colleagues below a field, or above it if there is more room. The field keeps the focus. */
export function ColleagueList({
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
      className={styles['colleagues']}
      // A click must not take the focus from the field.
      onMouseDown={(event) => event.preventDefault()}
    >
      {found.map((colleague) => (
        <div
          key={colleague.user_id}
          id={option(colleague)}
          role="option"
          aria-selected={colleague === current}
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
