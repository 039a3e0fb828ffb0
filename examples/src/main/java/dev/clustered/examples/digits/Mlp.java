// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.util.Random;

/**
 * A classifier with one hidden layer: pixels, rectified units, soft-max over the digits.
 *
 * <p>All parameters lie in one flat array, which is also the shape of a gradient: hidden weights by
 * unit, hidden biases, output weights by digit, output biases. Not thread-safe while parameters are
 * written.
 */
final class Mlp {
  static final int HIDDEN = 64;

  private static final int INPUT = DigitsData.PIXELS;
  private static final int OUTPUT = DigitsData.CLASSES;
  private static final int HIDDEN_BIAS = HIDDEN * INPUT;
  private static final int OUTPUT_WEIGHT = HIDDEN_BIAS + HIDDEN;
  private static final int OUTPUT_BIAS = OUTPUT_WEIGHT + OUTPUT * HIDDEN;

  /** The number of parameters. */
  static final int SIZE = OUTPUT_BIAS + OUTPUT;

  private final double[] parameters;

  private Mlp(double[] parameters) {
    this.parameters = parameters;
  }

  /** A model with small random weights and no biases; the same seed gives the same model. */
  static Mlp initial(long seed) {
    Random random = new Random(seed);
    double[] parameters = new double[SIZE];
    fill(parameters, 0, HIDDEN_BIAS, Math.sqrt(2.0 / INPUT), random);
    fill(parameters, OUTPUT_WEIGHT, OUTPUT_BIAS, Math.sqrt(2.0 / HIDDEN), random);
    return new Mlp(parameters);
  }

  private static void fill(double[] target, int start, int end, double scale, Random random) {
    for (int index = start; index < end; index++) {
      target[index] = scale * random.nextGaussian();
    }
  }

  /** The live parameters: writing to this array trains the model. */
  double[] parameters() {
    return parameters;
  }

  /**
   * Adds the gradient of the summed loss of these samples to the first {@link #SIZE} elements of
   * the array, and returns the summed loss.
   */
  double addGradient(Samples samples, double[] gradient) {
    double[] hidden = new double[HIDDEN];
    double[] output = new double[OUTPUT];
    double loss = 0;
    for (Sample sample : samples.all()) {
      forward(sample.pixels(), hidden, output);
      loss -= Math.log(output[sample.digit()]);
      output[sample.digit()] -= 1;
      backward(sample.pixels(), hidden, output, gradient);
    }
    return loss;
  }

  /** The share of these samples whose digit gets the highest probability, 0 to 1. */
  double accuracy(Samples samples) {
    double[] hidden = new double[HIDDEN];
    double[] output = new double[OUTPUT];
    int right = 0;
    for (Sample sample : samples.all()) {
      forward(sample.pixels(), hidden, output);
      if (likeliest(output) == sample.digit()) {
        right++;
      }
    }
    return (double) right / samples.size();
  }

  private void forward(double[] pixels, double[] hidden, double[] output) {
    for (int unit = 0; unit < HIDDEN; unit++) {
      double sum = parameters[HIDDEN_BIAS + unit];
      for (int pixel = 0; pixel < INPUT; pixel++) {
        sum += parameters[unit * INPUT + pixel] * pixels[pixel];
      }
      hidden[unit] = Math.max(0, sum);
    }
    for (int digit = 0; digit < OUTPUT; digit++) {
      double sum = parameters[OUTPUT_BIAS + digit];
      for (int unit = 0; unit < HIDDEN; unit++) {
        sum += parameters[OUTPUT_WEIGHT + digit * HIDDEN + unit] * hidden[unit];
      }
      output[digit] = sum;
    }
    softMax(output);
  }

  private void backward(double[] pixels, double[] hidden, double[] error, double[] gradient) {
    for (int digit = 0; digit < OUTPUT; digit++) {
      gradient[OUTPUT_BIAS + digit] += error[digit];
      for (int unit = 0; unit < HIDDEN; unit++) {
        gradient[OUTPUT_WEIGHT + digit * HIDDEN + unit] += error[digit] * hidden[unit];
      }
    }
    for (int unit = 0; unit < HIDDEN; unit++) {
      if (hidden[unit] > 0) {
        addHidden(unit, hiddenError(unit, error), pixels, gradient);
      }
    }
  }

  private double hiddenError(int unit, double[] error) {
    double sum = 0;
    for (int digit = 0; digit < OUTPUT; digit++) {
      sum += parameters[OUTPUT_WEIGHT + digit * HIDDEN + unit] * error[digit];
    }
    return sum;
  }

  private static void addHidden(int unit, double error, double[] pixels, double[] gradient) {
    gradient[HIDDEN_BIAS + unit] += error;
    for (int pixel = 0; pixel < INPUT; pixel++) {
      gradient[unit * INPUT + pixel] += error * pixels[pixel];
    }
  }

  private static void softMax(double[] values) {
    double highest = values[likeliest(values)];
    double sum = 0;
    for (int index = 0; index < values.length; index++) {
      values[index] = Math.exp(values[index] - highest);
      sum += values[index];
    }
    for (int index = 0; index < values.length; index++) {
      values[index] /= sum;
    }
  }

  private static int likeliest(double[] values) {
    int best = 0;
    for (int index = 1; index < values.length; index++) {
      if (values[index] > values[best]) {
        best = index;
      }
    }
    return best;
  }
}
