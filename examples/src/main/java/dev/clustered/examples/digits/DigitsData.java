// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;

/**
 * The images of handwritten digits, split into those to train on and those to test with. Immutable
 * and thread-safe.
 */
final class DigitsData {
  static final int PIXELS = 64;
  static final int CLASSES = 10;
  private static final double BRIGHTEST = 16;
  private static final String RESOURCE = "digits.csv.gz";

  private final Samples training;
  private final Samples test;

  private DigitsData(Samples training, Samples test) {
    this.training = training;
    this.test = test;
  }

  /** Reads the data set and deals a fifth of it to the test part; the seed decides which. */
  static DigitsData load(long seed) throws IOException {
    List<Sample> samples = read();
    int[] order = Shuffle.order(samples.size(), new Random(seed));
    int testSize = samples.size() / 5;
    List<Sample> test = new ArrayList<>();
    List<Sample> training = new ArrayList<>();
    for (int position = 0; position < order.length; position++) {
      (position < testSize ? test : training).add(samples.get(order[position]));
    }
    return new DigitsData(new Samples(training), new Samples(test));
  }

  Samples training() {
    return training;
  }

  Samples test() {
    return test;
  }

  private static List<Sample> read() throws IOException {
    InputStream resource = DigitsData.class.getResourceAsStream(RESOURCE);
    if (resource == null) {
      throw new IOException(
          "cannot load the digits: no resource " + RESOURCE + " beside " + DigitsData.class);
    }
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(new GZIPInputStream(resource), StandardCharsets.US_ASCII))) {
      List<Sample> samples = new ArrayList<>();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        samples.add(parse(line, samples.size() + 1));
      }
      return samples;
    }
  }

  private static Sample parse(String line, int number) throws IOException {
    String[] fields = line.split(",", -1);
    if (fields.length != PIXELS + 1) {
      throw new IOException(
          "cannot read %s: line %d has %d numbers, expected %d"
              .formatted(RESOURCE, number, fields.length, PIXELS + 1));
    }
    double[] pixels = new double[PIXELS];
    for (int pixel = 0; pixel < PIXELS; pixel++) {
      pixels[pixel] = Integer.parseInt(fields[pixel]) / BRIGHTEST;
    }
    return new Sample(pixels, Integer.parseInt(fields[PIXELS]));
  }
}
