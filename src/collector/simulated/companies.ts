import type { Member } from '#domain/market-history.ts';

/** A sector's sensitivity to the market, its own volatility (percent a day), and its share of the market. */
export interface SectorModel {
  sector: string;
  beta: number;
  volatility: number;
  /** Percent of the market's value at the start. */
  weight: number;
  /** The names of the companies of a sector, separated by commas. */
  companies: string;
}

/**
 * The invented market. All names are made up. A symbol is the first six letters of the name: no exchange in the United
 * States lists symbols of six letters, so none can be mistaken for a real company's.
 */
export const SECTOR_MODELS: readonly SectorModel[] = [
  {
    sector: 'Communication Services',
    beta: 1.05,
    volatility: 0.67,
    weight: 9,
    companies: `
      Auralode Media, Brightvane Networks, Callowmere Studios, Dovantis Wireless, Echoquarry Games,
      Fennimar Broadcasting, Glyphora Social, Hollenwick Telecom, Irradel Publishing, Jorvanna Streaming`,
  },
  {
    sector: 'Consumer Discretionary',
    beta: 1.15,
    volatility: 0.67,
    weight: 10.5,
    companies: `
      Karradine Motors, Lumbrella Outfitters, Marovette Hotels, Nettlefold Homes, Oppidane Retail,
      Pellinore Leisure, Quillmarsh Apparel, Rondavelle Dining, Sablecrane Cruises, Tamberlot Furnishings`,
  },
  {
    sector: 'Consumer Staples',
    beta: 0.6,
    volatility: 0.55,
    weight: 6,
    companies: `
      Umberlane Foods, Vintarrow Beverages, Wheatmoor Mills, Yarrowby Household, Zephyrine Care,
      Applethorn Grocers, Barleywend Brewing, Cloverfeld Dairies, Damsonley Snacks, Elderbourne Soaps`,
  },
  {
    sector: 'Energy',
    beta: 1.05,
    volatility: 1.28,
    weight: 4.5,
    companies: `
      Flarestone Petroleum, Gantrovia Drilling, Hydrelle Gas, Ignavere Pipelines, Jackstay Refining,
      Kelpforth Offshore, Lodestrata Exploration, Mirradon Oilfield, Northwick Midstream,
      Orrefell Resources`,
  },
  {
    sector: 'Financials',
    beta: 1.1,
    volatility: 0.73,
    weight: 13,
    companies: `
      Pallisander Bank, Quorumvale Insurance, Redwyne Capital, Stellington Trust, Tallymar Payments,
      Underhallow Assurance, Vaultmere Holdings, Wexcombe Brokers, Yieldwright Asset Management,
      Zollern Vale Bancorp`,
  },
  {
    sector: 'Health Care',
    beta: 0.8,
    volatility: 0.61,
    weight: 12.5,
    companies: `
      Amberlyth Biologics, Boswellian Devices, Curavant Hospitals, Dermalune Pharma, Evermend Diagnostics,
      Fibrolane Therapeutics, Genoquill Sciences, Heliomed Imaging, Immunara Labs, Juniphar Medicines`,
  },
  {
    sector: 'Industrials',
    beta: 1.05,
    volatility: 0.55,
    weight: 8.5,
    companies: `
      Kestrelmont Aerospace, Lathework Machinery, Millrace Tooling, Nordhavel Shipping, Ottermoor Rail,
      Pistonwell Engines, Quarrystone Builders, Rivetgate Systems, Sprocketon Automation, Turbinelle Power`,
  },
  {
    sector: 'Information Technology',
    beta: 1.2,
    volatility: 0.67,
    weight: 28,
    companies: `
      Undertone Semiconductors, Vectrelle Software, Waferdyne Devices, Xenolith Cloud, Yottabrook Storage,
      Zirconode Chips, Algorhythmic Data, Bitharrow Security, Cachemere Systems, Deltabyrne Computing`,
  },
  {
    sector: 'Materials',
    beta: 1.05,
    volatility: 0.79,
    weight: 2.5,
    companies: `
      Ferrolanth Steel, Graniteway Aggregates, Halidore Chemicals, Ingotwell Metals, Jasperine Mining,
      Kaolinde Ceramics, Limebarrow Cement, Metallune Alloys, Nitravelle Fertilizers, Ochrewood Packaging`,
  },
  {
    sector: 'Real Estate',
    beta: 0.9,
    volatility: 0.73,
    weight: 2.5,
    companies: `
      Parapetto Towers, Quayside Lofts Trust, Rooftree Residential, Stonemantle Offices, Terracelle Malls,
      Upperhithe Warehouses, Verandale Living, Wainscott Row Storage, Yardarmond Logistics, Zinnialot Land`,
  },
  {
    sector: 'Utilities',
    beta: 0.5,
    volatility: 0.85,
    weight: 3,
    companies: `
      Amperford Electric, Brookvolt Power, Currentmoor Energy, Dynamere Grid, Eddywater Works,
      Fluxhaven Gas, Galvanest Utilities, Hearthline Heating, Insulon Transmission, Kilowend Services`,
  },
];

/** The companies as members of a universe, in the order of the sectors above. */
export const COMPANIES: readonly Member[] = SECTOR_MODELS.flatMap(({ sector, companies }) =>
  companies.split(',').map((name) => ({
    symbol: name
      .replace(/[^A-Za-z]/g, '')
      .slice(0, 6)
      .toUpperCase(),
    name: name.trim(),
    sector,
  })),
);
