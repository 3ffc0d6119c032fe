import type { ComponentProps, CSSProperties, ElementType, ReactNode } from 'react';
import './box.css';

/** A step of the spaces in `styles/tokens.css`; 1 is 4 px. */
export type Space = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 8 | 10 | 12 | 16;

/** The CSS value of a space. */
export function space(step: Space): string {
  return step === 0 ? '0' : `var(--s-${step})`;
}

export type BoxProps<Element extends ElementType> = {
  /** The element that is rendered, such as `ul`. */
  as?: Element;
  gap?: Space;
  /** The space between the edge of the box and its elements. */
  pad?: Space;
  align?: 'start' | 'center' | 'end' | 'baseline' | 'stretch';
  /** Whether the box takes the space that the others next to it leave. */
  isFilling?: boolean | undefined;
  children?: ReactNode;
} & Omit<ComponentProps<Element>, 'as' | 'align' | 'className' | 'style'>;

/** The margin and list marks of an element do not depend on what it is. */
const plain: CSSProperties = { margin: 0, padding: 0, listStyle: 'none', minInlineSize: 0 };

/** A box that takes the space that others leave does not stretch its elements. */
const filling = (isFilling: boolean | undefined): CSSProperties =>
  isFilling ? { flex: '1 1 0%', alignContent: 'start' } : {};

/*
 * The elements in a box have no margins (`box.css`, by `data-box`): the gap of the box is the space between them.
 */

/** Elements below each other, in the whole width. */
export function Stack<Element extends ElementType = 'div'>(props: BoxProps<Element>) {
  const { as: Tag = 'div' as ElementType, gap = 3, pad = 0, align = 'stretch', isFilling, ...others } = props;
  return (
    <Tag
      {...others}
      data-box
      style={{
        ...plain,
        ...filling(isFilling),
        padding: space(pad),
        display: 'grid',
        gridTemplateColumns: 'minmax(0, 1fr)',
        gap: space(gap),
        justifyItems: align,
      }}
    />
  );
}

/** Elements in a line, which wraps in a narrow window unless `isTight` is set. */
export function Row<Element extends ElementType = 'div'>(
  props: BoxProps<Element> & {
    justify?: 'start' | 'end' | 'space-between';
    isTight?: boolean;
  },
) {
  const {
    as: Tag = 'div' as ElementType,
    gap = 2,
    pad = 0,
    align = 'center',
    justify,
    isTight,
    isFilling,
    ...others
  } = props;
  const wrap = isTight ? 'nowrap' : 'wrap';
  return (
    <Tag
      {...others}
      data-box
      style={{
        ...plain,
        ...filling(isFilling),
        padding: space(pad),
        display: 'flex',
        flexWrap: wrap,
        gap: space(gap),
        alignItems: align,
        justifyContent: justify,
      }}
    />
  );
}

/** The element of a row that takes the space that the others leave. @param least the least width, in rem */
export function Fill({ least = 0, children }: { least?: number; children?: ReactNode }) {
  return (
    <div data-box style={{ flex: `1 1 ${least}rem`, minInlineSize: 0 }}>
      {children}
    </div>
  );
}

/** Columns of equal width in the whole width: as many as fit. @param least the least width of a column, in rem */
export function Grid<Element extends ElementType = 'div'>(props: BoxProps<Element> & { least: number }) {
  const { as: Tag = 'div' as ElementType, gap = 4, pad = 0, align, least, ...others } = props;
  const columns = `repeat(auto-fit, minmax(min(100%, ${least}rem), 1fr))`;
  return (
    <Tag
      {...others}
      data-box
      style={{
        ...plain,
        padding: space(pad),
        display: 'grid',
        gap: space(gap),
        alignItems: align,
        gridTemplateColumns: columns,
      }}
    />
  );
}
