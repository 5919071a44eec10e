import './stocks.css';
import { memo, useMemo, useState } from 'react';
import { type MarketStockRow, type StocksView, type StockView, stocksView } from '#views/stocks-view.ts';
import { ChartTable, type Columns, type TableRows } from '../../charts/chart-table.tsx';
import { ChartWalk } from '../../charts/chart-walk.tsx';
import { useSize } from '../../charts/line-chart.tsx';
import {
  attributesOf,
  boxAt,
  inset,
  type Layout,
  LINE,
  layOutTiles,
  sectorHeadings,
  stocksOf,
  tileTexts,
  type WidthOf,
} from './heatmap-layout.ts';
import { OwnDrawing } from './own-drawing.tsx';

interface StocksProps {
  load: () => Promise<readonly MarketStockRow[]>;
}

export function Movers({ load }: StocksProps) {
  return (
    <OwnDrawing load={load} viewOf={moversView} subject="The stocks">
      {({ gainers, losers }) => (
        <div className="own-place movers">
          <MoversTable name="Gainers" stocks={gainers} emptyText="No stock rose." />
          <MoversTable name="Losers" stocks={losers} emptyText="No stock fell." />
        </div>
      )}
    </OwnDrawing>
  );
}

const moversView = (rows: readonly MarketStockRow[]): StocksView => ({
  ...stocksView(rows),
  title: 'Largest changes of the day',
});

interface MoversTableProps {
  name: string;
  stocks: readonly StockView[];
  emptyText: string;
}

function MoversTable({ name, stocks, emptyText }: MoversTableProps) {
  if (stocks.length === 0) return <p className="quiet">{emptyText}</p>;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{name}</th>
          <th scope="col">Change</th>
          <th scope="col">Volume</th>
        </tr>
      </thead>
      <tbody>
        {stocks.map(({ symbol, name: company, changeText, tone, volumeText }) => (
          <tr key={symbol}>
            <th scope="row">
              <bdi className="movers-symbol">{symbol}</bdi>
              <bdi className="movers-name quiet small" title={company}>
                {company}
              </bdi>
            </th>
            <td className="toned" data-tone={tone}>
              {changeText}
            </td>
            <td>{volumeText}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Heatmap({ load }: StocksProps) {
  return (
    <OwnDrawing load={load} viewOf={stocksView} subject="The stocks" beside={() => <Scale />}>
      {(view) => <Treemap view={view} />}
    </OwnDrawing>
  );
}

const COLUMNS: Columns = ['Stock', 'Change', 'Volume', { text: 'Sector' }];

const rowsOf = (stocks: readonly StockView[]): TableRows => ({
  count: stocks.length,
  cells: (index) => {
    const stock = stocks[index];
    return stock ? [`${stock.symbol} ${stock.name}`, stock.changeText, stock.volumeText, stock.sector] : [];
  },
});

function Treemap({ view }: { view: StocksView }) {
  const { sectors, countsText } = view;
  const [ref, { width, height }] = useSize<HTMLElement>();
  const [chosen, setChosen] = useState<number | null>(null);
  const stocks = useMemo(() => stocksOf(sectors), [sectors]);
  const rows = useMemo(() => rowsOf(stocks), [stocks]);
  const map = useMemo(() => layOutTiles(sectors, width, height), [sectors, width, height]);
  const last = stocks.length - 1;
  if (last < 0) return <p className="own-words quiet">No stock has a traded value.</p>;
  const place = Math.min(chosen ?? last, last);
  const stock = stocks[place];
  const box = chosen === null ? undefined : map.boxes[place];

  return (
    <>
      <figure className="own-place heatmap" ref={ref}>
        <figcaption className="visually-hidden">{countsText}</figcaption>
        {width > 0 && <Drawing map={map} stocks={stocks} width={width} height={height} />}
        <ChartWalk
          className="chart-walk"
          name="Stock of the heatmap"
          last={last}
          chosen={chosen}
          onChoose={(index) => setChosen(index === -1 ? null : index)}
          pointText={
            stock && {
              dateText: `${stock.name} (${stock.symbol})`,
              text: stock.changeText,
              label: stock.sector,
              changeText: `volume ${stock.volumeText}`,
            }
          }
          placeAt={(x, _, y) => boxAt(map.boxes, x, y)}
        >
          {box && (
            <svg width={width} height={height} aria-hidden="true">
              <rect className="heatmap-chosen" {...attributesOf(box)} />
            </svg>
          )}
        </ChartWalk>
      </figure>
      <Readout stock={chosen === null ? undefined : stock} countsText={countsText} />
      <ChartTable name="Stocks of the heatmap" columns={COLUMNS} rows={rows} />
    </>
  );
}

/** Two lines about the chosen stock, or about all of them. Each stays one line, so that nothing moves. */
function Readout({ stock, countsText }: { stock: StockView | undefined; countsText: string }) {
  return (
    <div className="heatmap-readout" aria-hidden={stock !== undefined}>
      <p>
        {stock === undefined ? (
          countsText
        ) : (
          <>
            <b className="toned" data-tone={stock.tone}>
              {stock.changeText}
            </b>{' '}
            <bdi>{stock.name}</bdi>
          </>
        )}
      </p>
      <p className="quiet small">
        {stock === undefined ? (
          'Area: value traded. Colour: change.'
        ) : (
          <>
            <bdi>{stock.symbol}</bdi> · <bdi>{stock.sector}</bdi> · volume {stock.volumeText}
          </>
        )}
      </p>
    </div>
  );
}

const STEPS = [-4, -3, -2, -1, 0, 1, 2, 3, 4] as const;
const toneOf = (step: number) => (step === 0 ? 'neutral' : step > 0 ? 'positive' : 'negative');

function Scale() {
  return (
    <span className="heatmap-scale small">
      ≤ −3%
      <svg width="108" height="12" aria-hidden="true">
        {STEPS.map((step, index) => (
          <rect
            key={step}
            className="heatmap-tile"
            data-tone={toneOf(step)}
            data-step={Math.abs(step)}
            x={12 * index}
            width="11"
            height="12"
          />
        ))}
      </svg>
      ≥ +3%
    </span>
  );
}

interface DrawingProps {
  map: Layout;
  stocks: readonly StockView[];
  width: number;
  height: number;
}

/** One path per colour, because five hundred elements would take the browser longer. */
function pathsOf({ boxes }: Layout, stocks: readonly StockView[]) {
  const paths = new Map<string, { tone: string; step: number; d: string }>();
  for (const [index, box] of boxes.entries()) {
    const { tone = 'neutral', step = 0 } = stocks[index] ?? {};
    const path = paths.get(tone + step) ?? { tone, step, d: '' };
    const { left, top, width, height } = inset(box, 0.5);
    path.d += `M${left.toFixed(1)} ${top.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;
    paths.set(tone + step, path);
  }
  return [...paths.values()];
}

/** Measures texts in the font of the heatmap. Without a canvas, no text fits. */
function widthsOfTexts(): WidthOf {
  const pen = document.createElement('canvas').getContext('2d');
  const size = 0.75 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const { fontFamily } = getComputedStyle(document.body);
  return (text, weight) => {
    if (pen === null) return Number.POSITIVE_INFINITY;
    pen.font = `${weight ? 600 : 400} ${size}px ${fontFamily}`;
    return pen.measureText(text).width;
  };
}

const Drawing = memo(function Drawing({ map, stocks, width, height }: DrawingProps) {
  const widthOf = widthsOfTexts();
  const headings = sectorHeadings(map.sectors, widthOf);
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {pathsOf(map, stocks).map(({ tone, step, d }) => (
        <path key={tone + step} className="heatmap-tile" data-tone={tone} data-step={step} d={d} />
      ))}
      {map.sectors.map((sector, index) => (
        <text key={sector.name} className="heatmap-sector" x={sector.box.left + 3} y={sector.box.top + 13}>
          {headings[index]}
        </text>
      ))}
      {map.boxes.map((box, index) => {
        const stock = stocks[index];
        const [symbol, change] = stock ? tileTexts(box, stock, widthOf) : [];
        if (symbol === undefined) return null;
        const x = box.left + box.width / 2;
        const y = box.top + box.height / 2 + (change === undefined ? 4 : -2);
        return (
          <text key={symbol} className="heatmap-symbol" x={x} y={y}>
            {symbol}
            {change !== undefined && (
              <tspan x={x} dy={LINE}>
                {change}
              </tspan>
            )}
          </text>
        );
      })}
    </svg>
  );
});
