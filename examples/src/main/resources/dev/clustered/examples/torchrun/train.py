# SPDX-License-Identifier: Apache-2.0
"""Trains a classifier of handwritten digits, data-parallel in all processes that torchrun starts.

Beside it lies digits.csv.gz; EPOCHS says how often to pass over the training images.
"""

import hashlib
import json
import os
import sys
import time

import numpy
import torch
import torch.distributed
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

SEED = 7
BATCH = 16  # of each process


def load():
    """The images to train on and those to test with: every fifth, dealt alike in every process."""
    rows = torch.from_numpy(numpy.loadtxt("digits.csv.gz", delimiter=",", dtype=numpy.float32))
    order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(SEED))
    images, digits = rows[order, :-1] / 16, rows[order, -1].long()
    test = len(rows) // 5
    return TensorDataset(images[test:], digits[test:]), (images[:test], digits[:test])


def train_epoch(model, optimizer, batches):
    """One pass over the images; returns the mean loss over the images of all processes."""
    total = torch.zeros(2)
    for images, digits in batches:
        loss = nn.functional.cross_entropy(model(images), digits)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += torch.tensor([loss.item() * len(digits), len(digits)])
    torch.distributed.all_reduce(total)
    return (total[0] / total[1]).item()


@torch.no_grad()
def accuracy(model, images, digits):
    """The share of these images that the model recognises, 0 to 1."""
    return (model(images).argmax(dim=1) == digits).float().mean().item()


def fingerprint(model):
    """A text that two processes share only if their models are equal bit for bit."""
    digest = hashlib.sha256()
    for parameter in model.parameters():
        digest.update(parameter.detach().numpy().tobytes())
    return digest.hexdigest()


def train(rank, model, training, test):
    """Trains the model; process 0 tells of every epoch."""
    sampler = DistributedSampler(training, seed=SEED)
    batches = DataLoader(training, batch_size=BATCH, sampler=sampler)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(1, int(os.environ["EPOCHS"]) + 1):
        begin = time.perf_counter()
        sampler.set_epoch(epoch)
        loss = train_epoch(model, optimizer, batches)
        took = round((time.perf_counter() - begin) * 1e6)
        if rank == 0:
            share = accuracy(model.module, *test)
            print(f"epoch={epoch} loss={loss:.6f} accuracy={share:.6f}", end=" ")
            print(f"microseconds={took}", flush=True)


def main():
    torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    training, test = load()
    # Another seed in every process: what makes the models equal is DistributedDataParallel alone.
    torch.manual_seed(SEED + rank)
    layers = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    model = DistributedDataParallel(layers)
    begin = time.perf_counter()
    train(rank, model, training, test)
    own = {
        "processRank": rank,
        "node": int(os.environ["GROUP_RANK"]),
        "testAccuracy": accuracy(model.module, *test),
        "took": f"PT{time.perf_counter() - begin:.6f}S",
        "fingerprint": fingerprint(model),
    }
    all_processes = [None] * torch.distributed.get_world_size()
    torch.distributed.all_gather_object(all_processes, own)
    # The node has one result, so one of its processes writes it for all of them.
    if os.environ["LOCAL_RANK"] == "0":
        processes = [process for process in all_processes if process["node"] == own["node"]]
        with open(os.environ["CLUSTERED_RESULT_FILE"], "w", encoding="utf-8") as result:
            json.dump({"processes": processes}, result)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Gloo's threads live on after destroy_process_group(). One that wants the interpreter while it
    # is being torn down aborts the process, a finished training with it; so none is torn down.
    os._exit(0)
