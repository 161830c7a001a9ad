// An experiment's results for terminals and spreadsheets.
#pragma once

#include <string>

#include "reproduce/experiment_result.h"

namespace spml {

// Ours, the paper's and the difference for every data set; * marks the best and + the second-best
// of the losses that see observed labels only. Figures: a column for each line, a row for each
// point.
std::string experiment_text(const ExperimentResult& result);

// One record per number: dataset,row,x,labels_seen,ours,std,paper,difference,val_map,lr,batch,
// best_epoch; for heat maps dataset,row,epoch,from,to,count.
std::string experiment_csv(const ExperimentResult& result);

}  // namespace spml
