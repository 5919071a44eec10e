import type { Member } from '#domain/market-history.ts';

/**
 * The invented market. The line of a sector has its sensitivity to the market, its own volatility (percent a day), and its
 * share of the market's value at the start (percent). The names of its companies follow, all made up.
 */
const MARKET = `
Communication Services: 1.05, 0.67, 9
  Auralode Media, Brightvane Networks, Callowmere Studios, Dovantis Wireless, Echoquarry Games,
  Fennimar Broadcasting, Glyphora Social, Hollenwick Telecom, Irradel Publishing, Jorvanna Streaming
Consumer Discretionary: 1.15, 0.67, 10.5
  Karradine Motors, Lumbrella Outfitters, Marovette Hotels, Nettlefold Homes, Oppidane Retail,
  Pellinore Leisure, Quillmarsh Apparel, Rondavelle Dining, Sablecrane Cruises, Tamberlot Furnishings
Consumer Staples: 0.6, 0.55, 6
  Umberlane Foods, Vintarrow Beverages, Wheatmoor Mills, Yarrowby Household, Zephyrine Care,
  Applethorn Grocers, Barleywend Brewing, Cloverfeld Dairies, Damsonley Snacks, Elderbourne Soaps
Energy: 1.05, 1.28, 4.5
  Flarestone Petroleum, Gantrovia Drilling, Hydrelle Gas, Ignavere Pipelines, Jackstay Refining,
  Kelpforth Offshore, Lodestrata Exploration, Mirradon Oilfield, Northwick Midstream, Orrefell Resources
Financials: 1.1, 0.73, 13
  Pallisander Bank, Quorumvale Insurance, Redwyne Capital, Stellington Trust, Tallymar Payments,
  Underhallow Assurance, Vaultmere Holdings, Wexcombe Brokers, Yieldwright Asset Management,
  Zollern Vale Bancorp
Health Care: 0.8, 0.61, 12.5
  Amberlyth Biologics, Boswellian Devices, Curavant Hospitals, Dermalune Pharma, Evermend Diagnostics,
  Fibrolane Therapeutics, Genoquill Sciences, Heliomed Imaging, Immunara Labs, Juniphar Medicines
Industrials: 1.05, 0.55, 8.5
  Kestrelmont Aerospace, Lathework Machinery, Millrace Tooling, Nordhavel Shipping, Ottermoor Rail,
  Pistonwell Engines, Quarrystone Builders, Rivetgate Systems, Sprocketon Automation, Turbinelle Power
Information Technology: 1.2, 0.67, 28
  Undertone Semiconductors, Vectrelle Software, Waferdyne Devices, Xenolith Cloud, Yottabrook Storage,
  Zirconode Chips, Algorhythmic Data, Bitharrow Security, Cachemere Systems, Deltabyrne Computing
Materials: 1.05, 0.79, 2.5
  Ferrolanth Steel, Graniteway Aggregates, Halidore Chemicals, Ingotwell Metals, Jasperine Mining,
  Kaolinde Ceramics, Limebarrow Cement, Metallune Alloys, Nitravelle Fertilizers, Ochrewood Packaging
Real Estate: 0.9, 0.73, 2.5
  Parapetto Towers, Quayside Lofts Trust, Rooftree Residential, Stonemantle Offices, Terracelle Malls,
  Upperhithe Warehouses, Verandale Living, Wainscott Row Storage, Yardarmond Logistics, Zinnialot Land
Utilities: 0.5, 0.85, 3
  Amperford Electric, Brookvolt Power, Currentmoor Energy, Dynamere Grid, Eddywater Works, Fluxhaven Gas,
  Galvanest Utilities, Hearthline Heating, Insulon Transmission, Kilowend Services
`;

const SECTOR = /^(.+): (.+), (.+), (.+)\n((?: .+\n)+)/gm;

export const SECTOR_MODELS = Array.from(
  MARKET.matchAll(SECTOR),
  ([, sector = '', beta, volatility, weight, companies = '']) => ({
    ...{ sector, beta: Number(beta), volatility: Number(volatility), weight: Number(weight) },
    companies: companies.split(',').map((name) => name.trim()),
  }),
);

/** The companies as a universe. The symbol is the first six letters of the name; no exchange lists six letters. */
export const COMPANIES: readonly Member[] = SECTOR_MODELS.flatMap(({ sector, companies }) =>
  companies.map((name) => ({
    symbol: name.replace(/\s/g, '').slice(0, 6).toUpperCase(),
    name,
    sector,
  })),
);
