import { type KeyboardEvent, useRef } from 'react';

export interface Tab<Name extends string> {
  name: Name;
  label: string;
}

interface TabListProps<Name extends string> {
  label: string;
  tabs: readonly Tab<Name>[];
  selected: Name;
  /** Prefix of the ids that connect each tab with its panel (see `tabPanelProps`). */
  id: string;
  onSelect: (name: Name) => void;
  /** Called when the pointer or the focus reaches the tabs, to fetch the content of a tab early. */
  onNear?: () => void;
}

/** The tablist of the ARIA tabs pattern: one tab stop, arrow keys select. */
export function TabList<Name extends string>(props: TabListProps<Name>) {
  const { label, tabs, selected, id, onSelect, onNear } = props;
  const list = useRef<HTMLDivElement>(null);

  function onKeyDown(event: KeyboardEvent) {
    const [at, count] = [tabs.findIndex(({ name }) => name === selected), tabs.length];
    const places: Record<string, number> = {
      ArrowRight: (at + 1) % count,
      ArrowLeft: (at + count - 1) % count,
      Home: 0,
      End: count - 1,
    };
    const next = places[event.key] ?? -1;
    const tab = tabs[next];
    if (tab === undefined) return;
    event.preventDefault();
    onSelect(tab.name);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  }

  return (
    <div
      className="tab-list"
      role="tablist"
      aria-label={label}
      ref={list}
      onKeyDown={onKeyDown}
      onPointerEnter={onNear}
      onFocus={onNear}
    >
      {tabs.map((tab) => (
        <button
          key={tab.name}
          type="button"
          role="tab"
          className="tab"
          id={`${id}-tab-${tab.name}`}
          aria-selected={tab.name === selected}
          aria-controls={`${id}-panel-${tab.name}`}
          tabIndex={tab.name === selected ? 0 : -1}
          onClick={() => onSelect(tab.name)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}

export function tabPanelProps(id: string, name: string, selected: string) {
  return {
    role: 'tabpanel',
    id: `${id}-panel-${name}`,
    'aria-labelledby': `${id}-tab-${name}`,
    hidden: name !== selected,
  } as const;
}
