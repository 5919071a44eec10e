import type { KeyboardEvent } from 'react';

const LABELS = { overview: 'Overview', timeline: 'Timeline' } as const;
export type TabName = keyof typeof LABELS;
const NAMES = Object.keys(LABELS) as TabName[];

const tabOf = (name: TabName) => `fear-greed-tab-${name}`;
const panelOf = (name: TabName) => `fear-greed-panel-${name}`;

interface TabListProps {
  selected: TabName;
  onSelect: (name: TabName) => void;
  /** Called when the pointer or the focus reaches the tabs, to fetch the content of a tab early. */
  onNear: () => void;
}

/** The tablist of the ARIA tabs pattern: one tab stop, arrow keys select. */
export function TabList({ selected, onSelect, onNear }: TabListProps) {
  function onKeyDown(event: KeyboardEvent) {
    const other = selected === 'overview' ? 'timeline' : 'overview';
    const keys: Record<string, TabName> = {
      ArrowRight: other,
      ArrowLeft: other,
      Home: 'overview',
      End: 'timeline',
    };
    const next = keys[event.key];
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next);
    document.getElementById(tabOf(next))?.focus();
  }

  return (
    <div
      className="tab-list"
      role="tablist"
      aria-label="Fear & Greed view"
      onKeyDown={onKeyDown}
      onPointerEnter={onNear}
      onFocus={onNear}
    >
      {NAMES.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          className="tab"
          id={tabOf(name)}
          aria-selected={name === selected}
          aria-controls={panelOf(name)}
          tabIndex={name === selected ? 0 : -1}
          onClick={() => onSelect(name)}
        >
          {LABELS[name]}
        </button>
      ))}
    </div>
  );
}

export const tabPanelProps = (name: TabName, selected: TabName) =>
  ({
    role: 'tabpanel',
    id: panelOf(name),
    'aria-labelledby': tabOf(name),
    hidden: name !== selected,
  }) as const;
