import type { ElementType, ReactNode } from 'react';
import { type BoxProps, space } from './box.tsx';

const tones = {
  sunken: 'sunken',
  warn: 'warn-soft',
  crit: 'crit-soft',
  good: 'ok-soft',
  hint: 'apricot-soft',
};
const lines = { warn: 'warn-line', crit: 'crit-line', hint: 'apricot-line' };

/**
 * A box with a border, whose elements are below each other.
 * @param isChosen whether it is the one of several that a key or button acts on
 */
export function Card<Element extends ElementType = 'div'>(
  props: BoxProps<Element> & { tone?: keyof typeof tones; isChosen?: boolean },
) {
  const { as: Tag = 'div' as ElementType, gap = 3, pad = 5, align, tone, isChosen, ...others } = props;
  const line = isChosen ? 'petrol' : tone && tone in lines ? lines[tone as keyof typeof lines] : 'line';
  return (
    <Tag
      {...others}
      data-box
      data-active={isChosen || undefined}
      className="card"
      style={{
        display: 'grid',
        gap: space(gap),
        minInlineSize: 0,
        padding: space(pad),
        margin: 0,
        justifyItems: align,
        overflow: pad === 0 ? 'hidden' : undefined,
        borderColor: `var(--${line})`,
        background: tone && `var(--${tones[tone]})`,
        boxShadow: tone ? 'none' : isChosen ? '0 0 0 1px var(--petrol)' : undefined,
      }}
    />
  );
}

/** A part of fixed width next to the part that takes the rest; below each other if the window is narrow. */
export function Sides({ side, main }: { side: ReactNode; main: ReactNode }) {
  return (
    <div style={{ display: 'flex', flexWrap: 'wrap', gap: space(5), alignItems: 'start' }}>
      <div style={{ flex: '1 1 16rem', minInlineSize: 0 }}>{side}</div>
      <div style={{ flex: '999 1 36rem', minInlineSize: 0 }}>{main}</div>
    </div>
  );
}
