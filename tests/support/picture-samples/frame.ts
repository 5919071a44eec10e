/** The settings that every sample of a mail shows. */
export const FRAME = {
  productName: 'Barometer',
  publicUrl: 'https://barometer.example',
  postalAddress: 'Barometer, 12 Harbour Street, Dublin 2',
};
